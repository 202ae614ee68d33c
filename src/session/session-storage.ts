import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeCode } from '../errors.ts';
import { createFileSync, replaceFile } from './atomic-write.ts';
import { FileWriter } from './file-writer.ts';
import { artifactsDirOf, isRegularFile } from './paths.ts';
import { ensurePrivateDirSync, openPrivateSync, syncDir, writeFullySync } from './private-files.ts';
import {
  type FileParts,
  fitsPattern,
  type ReplaceOptions,
  type SessionStorage,
  type SessionStorageReader,
  type SessionStorageStat,
  type SessionStorageWriter,
  type SessionStorageWriterOptions,
} from './storage.ts';

export { MemorySessionStorage } from './memory-storage.ts';
export type {
  SessionStorage,
  SessionStorageReader,
  SessionStorageStat,
  SessionStorageWriter,
  SessionStorageWriterOptions,
} from './storage.ts';

const writeToDescriptor = promisify(fs.writeFile);

/** Sessions as files on disk: new files get mode 0600 and new folders 0700 whatever the umask. */
export class FileSessionStorage implements Required<SessionStorage> {
  ensureDirSync(dir: string): void {
    ensurePrivateDirSync(dir);
  }

  existsSync(path: string): boolean {
    return fs.existsSync(path);
  }

  writeTextSync(path: string, text: string): void {
    const fd = openPrivateSync(path, 'write');
    try {
      fs.ftruncateSync(fd, 0);
      writeFullySync(fd, Buffer.from(text));
    } finally {
      fs.closeSync(fd);
    }
  }

  statSync(path: string): SessionStorageStat {
    return toStat(fs.statSync(path));
  }

  listFilesSync(dir: string, pattern: string): string[] {
    try {
      const found = fs.readdirSync(dir, { withFileTypes: true }).filter((item) => fitsPattern(item.name, pattern));
      const files = found.filter(
        (item) => item.isFile() || (item.isSymbolicLink() && isRegularFile(join(dir, item.name))),
      );
      return files.map((item) => join(dir, item.name)).sort();
    } catch (error) {
      if (nodeCode(error) === undefined) throw error;
      return [];
    }
  }

  async exists(path: string): Promise<boolean> {
    try {
      await fs.promises.stat(path);
      return true;
    } catch (error) {
      if (nodeCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  async readText(path: string): Promise<string> {
    return await fs.promises.readFile(path, 'utf8');
  }

  async readTextPrefix(path: string, sizeBytes: number): Promise<string> {
    const reader = await this.openReader(path);
    try {
      return Buffer.from(await reader.read(0, sizeBytes)).toString();
    } finally {
      await reader.close();
    }
  }

  async writeText(path: string, text: string): Promise<void> {
    const fd = openPrivateSync(path, 'write');
    try {
      fs.ftruncateSync(fd, 0);
      await writeToDescriptor(fd, text);
    } finally {
      fs.closeSync(fd);
    }
  }

  async rename(from: string, to: string): Promise<void> {
    await fs.promises.rename(from, to);
  }

  async unlink(path: string): Promise<void> {
    await fs.promises.unlink(path);
  }

  openWriter(path: string, options?: SessionStorageWriterOptions): SessionStorageWriter {
    return new FileWriter(path, options);
  }

  async openReader(path: string): Promise<SessionStorageReader> {
    const handle = await fs.promises.open(path, 'r');
    return {
      read: (offsetBytes, lengthBytes) => readFully(handle, offsetBytes, lengthBytes),
      stat: async () => toStat(await handle.stat()),
      close: () => handle.close(),
    };
  }

  readBytesSync(path: string, offsetBytes: number, lengthBytes: number): Uint8Array {
    const fd = fs.openSync(path, 'r');
    try {
      const bytes = Buffer.allocUnsafe(lengthBytes);
      let filled = 0;
      for (let count = -1; count !== 0 && filled < lengthBytes; filled += count) {
        count = fs.readSync(fd, bytes, filled, lengthBytes - filled, offsetBytes + filled);
      }
      return bytes.subarray(0, filled);
    } finally {
      fs.closeSync(fd);
    }
  }

  async truncate(path: string, sizeBytes: number): Promise<void> {
    await fs.promises.truncate(path, sizeBytes);
  }

  async syncDir(dir: string): Promise<void> {
    await syncDir(dir);
  }

  async replaceFile(path: string, parts: FileParts, options?: ReplaceOptions): Promise<void> {
    await replaceFile(path, parts, options);
  }

  createFileSync(path: string, parts: Iterable<string | Uint8Array>): void {
    createFileSync(path, parts);
  }

  /**
   * Deletes a session file for good, then its artifact folder. Throws `ENOENT` when there is no such file.
   * @throws SessionError `refused` when the name does not end in `.jsonl`
   */
  async deleteSessionWithArtifacts(path: string): Promise<void> {
    const dir = artifactsDirOf(path);
    await fs.promises.unlink(path);
    try {
      await fs.promises.rm(dir, { recursive: true, force: true });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Session file deleted but failed to remove artifacts directory ${dir}: ${reason}`, {
        cause: error,
      });
    }
  }
}

function toStat(stat: fs.Stats): SessionStorageStat {
  return { size: stat.size, mtimeMs: stat.mtimeMs, mtime: stat.mtime, inode: stat.ino };
}

async function readFully(
  handle: fs.promises.FileHandle,
  offsetBytes: number,
  lengthBytes: number,
): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(lengthBytes);
  let filled = 0;
  while (filled < lengthBytes) {
    const { bytesRead } = await handle.read(bytes, filled, lengthBytes - filled, offsetBytes + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
