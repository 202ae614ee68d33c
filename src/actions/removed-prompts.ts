import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromNodeError, nodeCode } from '../errors.ts';
import { createPrivateSync, openPrivateSync, writeFullySync } from '../session/private-files.ts';

const KEY_BYTES = 32;

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (nodeCode(error) === 'ENOENT') return undefined;
    throw fromNodeError(error, `cannot read ${path}`, path);
  }
}

/** Whole or not at all, and the same for all processes, also when two make it at once. */
function makeKey(path: string): Buffer {
  const draft = `${path}.${process.pid}`;
  try {
    const descriptor = createPrivateSync(draft);
    writeFullySync(descriptor, randomBytes(KEY_BYTES));
    closeSync(descriptor);
    linkSync(draft, path);
  } catch (error) {
    if (nodeCode(error) !== 'EEXIST') throw fromNodeError(error, `cannot create ${path}`, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path);
}

/**
 * The prompts that were removed on purpose, so that no import brings them back. What is kept of each is a keyed hash alone:
 * whoever gets hold of the list without the key cannot try texts against it.
 */
export class RemovedPrompts {
  readonly #listPath: string;
  readonly #keyPath: string;

  /** `stateDir` must exist. */
  constructor(stateDir: string) {
    this.#listPath = join(stateDir, 'removed-prompts');
    this.#keyPath = join(stateDir, 'removed-prompts.key');
  }

  /** Remembers prompts. Throws `no_permission`, `disk_full`, … */
  add(prompts: readonly string[]): void {
    const key = readIfThere(this.#keyPath) ?? makeKey(this.#keyPath);
    const text = prompts.map((prompt) => `${hashOf(prompt, key)}\n`).join('');
    try {
      const descriptor = openPrivateSync(this.#listPath, 'append');
      try {
        writeFullySync(descriptor, Buffer.from(text));
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      throw fromNodeError(error, `cannot write ${this.#listPath}`, this.#listPath);
    }
  }

  /** A test whether a prompt was removed. */
  read(): (prompt: string) => boolean {
    const key = readIfThere(this.#keyPath);
    const list = readIfThere(this.#listPath);
    if (key === undefined || list === undefined) return () => false;
    const hashes = new Set(list.toString('latin1').split('\n'));
    return (prompt) => hashes.has(hashOf(prompt, key));
  }
}

function hashOf(prompt: string, key: Buffer): string {
  return createHmac('sha256', key).update(prompt.trim()).digest('hex');
}
