import type { MessagePort } from 'node:worker_threads';
import type { PatternReply, PatternRequest } from './pattern-client.ts';

/** Tells which texts pass all patterns: a pattern passes a text with a line in which it is found. */
function passing({ patterns, texts }: PatternRequest): Uint8Array {
  const tests = patterns.map(({ source, flags, isNot }) => ({ pattern: new RegExp(source, flags), isNot }));
  return Uint8Array.from(texts, (text) => {
    const lines = text.split('\n');
    return tests.every(({ pattern, isNot }) => lines.some((line) => pattern.test(line)) !== isNot) ? 1 : 0;
  });
}

/** Answers questions about patterns until the port closes. A pattern may take for ever: whoever asked ends the thread then. */
export function servePatterns(port: MessagePort): void {
  port.on('message', (request: PatternRequest) => {
    const { seq } = request;
    port.postMessage({ type: 'begun', seq } satisfies PatternReply);
    port.postMessage({ type: 'matched', seq, passing: passing(request) } satisfies PatternReply);
  });
}
