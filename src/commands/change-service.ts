import type { MessagePort } from 'node:worker_threads';
import { type Failure, failureOf } from '../catalog/wire.ts';
import type { Place } from './place.ts';
import { type ChangeWork, changeWork } from './tree-changes.ts';

/** What the drawing thread asks for: a work with its arguments. `seq` ties the answer to it. */
export type ChangeRequest = {
  [Name in keyof ChangeWork]: {
    readonly seq: number;
    readonly name: Name;
    readonly args: Parameters<ChangeWork[Name]>;
  };
}[keyof ChangeWork];

export type ChangeReply =
  | { readonly seq: number; readonly value: Awaited<ReturnType<ChangeWork[keyof ChangeWork]>> }
  | { readonly seq: number; readonly failure: Failure };

async function answerTo(work: ChangeWork, { seq, name, args }: ChangeRequest): Promise<ChangeReply> {
  // Name and arguments belong together, which a union of them cannot say.
  const call = work[name] as (...args: ChangeRequest['args']) => ReturnType<ChangeWork[typeof name]>;
  try {
    return { seq, value: await call(...args) };
  } catch (error) {
    return { seq, failure: failureOf(error) };
  }
}

/** Does what a drawing thread asks for, one thing after the other, in the order in which it was asked. */
export function serveChanges(port: MessagePort, place: Place): void {
  const work = changeWork(place);
  let last = Promise.resolve();
  port.on('message', (request: ChangeRequest) => {
    last = last.then(async () => port.postMessage(await answerTo(work, request)));
  });
}
