import { type ErrorCode, SessionError } from '../errors.ts';
import type { Transcript } from '../session/transcript.ts';
import type { RowBatch } from './catalog.ts';

/** What the drawing thread asks of the worker. `seq` ties answers to it. */
export type Request =
  | { readonly type: 'list'; readonly seq: number }
  | { readonly type: 'transcript'; readonly seq: number; readonly path: string; readonly limit: number };

/** What the worker answers: any number of batches, then `listed`; or one transcript; or a failure. */
export type Reply =
  | { readonly type: 'batch'; readonly seq: number; readonly batch: RowBatch }
  | { readonly type: 'listed'; readonly seq: number }
  | { readonly type: 'transcript'; readonly seq: number; readonly transcript: Transcript }
  | { readonly type: 'failed'; readonly seq: number; readonly failure: Failure };

/** An error that crosses threads: a `SessionError`'s own fields, or a bug's stack. */
export interface Failure {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly stack: string | undefined;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof SessionError) {
    const { code, message, path, hint } = error;
    return { code, message, path, hint, stack: undefined };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: undefined, message: String(error), path: undefined, hint: undefined, stack };
}

export function errorOf({ code, message, path, hint, stack }: Failure): Error {
  if (code === undefined) return Object.assign(new Error(message), stack === undefined ? {} : { stack });
  return new SessionError(code, message, {
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
  });
}
