import type { FileStamp } from '../session/scan.ts';

function keyOf(path: string, { inode, sizeBytes, mtimeMs }: FileStamp): string {
  return JSON.stringify([path, inode, sizeBytes, mtimeMs]);
}

/**
 * What a file has become by our own writes. Who asks for two changes in one breath has seen the file as it was before the
 * first one: that is no change by anybody else.
 */
export class OwnWrites {
  readonly #next = new Map<string, FileStamp>();

  /** Remembers that a write of ours, and nothing else, made one state of a file into another. */
  add(path: string, before: FileStamp, after: FileStamp): void {
    // A line that was cut off again may leave the very state that there was before it.
    this.#next.delete(keyOf(path, after));
    this.#next.set(keyOf(path, before), after);
  }

  /** What a file that was once in a state is now, if nobody but us has written to it since. */
  follow(path: string, seen: FileStamp): FileStamp {
    let stamp = seen;
    for (let next = this.#next.get(keyOf(path, stamp)); next !== undefined; next = this.#next.get(keyOf(path, stamp))) {
      stamp = next;
    }
    return stamp;
  }
}
