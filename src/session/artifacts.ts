import fs from 'node:fs';
import { join } from 'node:path';
import { nodeCode } from '../errors.ts';
import { isSafeName } from './paths.ts';
import { createPrivateSync, ensurePrivateDirSync, writeFullySync } from './private-files.ts';

/** Where an artifact is kept; empty for a session in memory. */
export interface ArtifactPath {
  readonly id?: string;
  readonly path?: string;
}

const ARTIFACT = /^(\d+)\..+\.log$/;

function namesIn(dir: string): readonly string[] {
  try {
    return fs.readdirSync(dir);
  } catch (error) {
    if (nodeCode(error) !== 'ENOENT') throw error;
    return [];
  }
}

/** The outputs that a session keeps beside its file, numbered: `<dir>/<n>.<tool>.log`. */
export class Artifacts {
  readonly dir: string | null;
  readonly #inMemory = new Map<string, string>();
  #lastNumber = -1;

  /** `dir` is null for a session in memory. */
  constructor(dir: string | null) {
    this.dir = dir;
  }

  /** A number and a path that are free, in a folder that exists. */
  allocate(tool: string): ArtifactPath {
    if (this.dir === null) return {};
    ensurePrivateDirSync(this.dir);
    const id = this.#nextNumber(this.dir);
    return { id, path: join(this.dir, `${id}.${nameOf(tool)}.log`) };
  }

  /** Keeps a text and gives its number. */
  save(text: string, tool: string): string {
    if (this.dir === null) {
      const id = String(++this.#lastNumber);
      this.#inMemory.set(id, text);
      return id;
    }
    for (;;) {
      const { id = '', path = '' } = this.allocate(tool);
      try {
        const fd = createPrivateSync(path);
        try {
          writeFullySync(fd, Buffer.from(text));
        } finally {
          fs.closeSync(fd);
        }
        return id;
      } catch (error) {
        // Another process was faster with this number.
        if (nodeCode(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** The file of a number; null when there is none. */
  pathOf(id: string): string | null {
    const name =
      this.dir !== null && /^\d+$/.test(id)
        ? namesIn(this.dir).find((item) => numberOf(item) === Number(id))
        : undefined;
    return this.dir === null || name === undefined ? null : join(this.dir, name);
  }

  /** The text of a number; null when there is none. */
  textOf(id: string): string | null {
    const path = this.pathOf(id);
    return path === null ? (this.#inMemory.get(id) ?? null) : fs.readFileSync(path, 'utf8');
  }

  #nextNumber(dir: string): string {
    const highest = namesIn(dir).reduce((found, name) => Math.max(found, numberOf(name)), -1);
    this.#lastNumber = Math.max(this.#lastNumber, highest) + 1;
    return String(this.#lastNumber);
  }
}

function numberOf(name: string): number {
  const [, digits] = ARTIFACT.exec(name) ?? [];
  return digits === undefined ? -1 : Number(digits);
}

function nameOf(tool: string): string {
  const name = tool.replace(/[^\w.-]+/g, '-').slice(0, 100);
  return isSafeName(name) ? name : 'tool';
}
