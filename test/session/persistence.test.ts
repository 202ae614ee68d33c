import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AgentMessage } from '../../src/session/messages.ts';
import { MAX_PERSIST_CHARS, serializeEntry } from '../../src/session/persistence.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { FileSessionStorage } from '../../src/session/session-storage.ts';
import { useAgentFolder } from './agent-folder.ts';
import { answer, newSession } from './session-helpers.ts';

const place = useAgentFolder();
const NOTICE = '\n\n[Session persistence truncated large content]';

function persisted(entry: object): Record<string, unknown> {
  return JSON.parse(serializeEntry(entry)) as Record<string, unknown>;
}

describe('an entry on its way to disk', () => {
  test('a long string is cut to 500,000 with a notice; one of exactly that length stays', () => {
    const { long, exact } = persisted({ long: 'x'.repeat(2_000_000), exact: 'y'.repeat(MAX_PERSIST_CHARS) });
    expect(long).toHaveLength(MAX_PERSIST_CHARS);
    expect((long as string).endsWith(`x${NOTICE}`)).toBe(true);
    expect(exact).toBe('y'.repeat(MAX_PERSIST_CHARS));
  });

  test('no character is cut in half', () => {
    const { text } = persisted({ text: `${'x'.repeat(MAX_PERSIST_CHARS - NOTICE.length - 1)}${'😀'.repeat(100)}` });
    expect((text as string).isWellFormed()).toBe(true);
    expect((text as string).endsWith(`x${NOTICE}`)).toBe(true);
  });

  test.each(['thinkingSignature', 'thoughtSignature', 'textSignature'])('a long %s becomes empty', (key) => {
    expect(persisted({ a: [{ [key]: 's'.repeat(1_000_000) }] })).toEqual({ a: [{ [key]: '' }] });
    expect(persisted({ [key]: 'short' })).toEqual({ [key]: 'short' });
  });

  test('the count of lines is that of what is kept', () => {
    const { file } = persisted({ file: { content: 'ab\n'.repeat(300_000), lineCount: 300_001, path: 'p' } });
    const { content, lineCount } = file as { content: string; lineCount: number };
    expect(lineCount).toBe(content.split('\n').length);
    expect(persisted({ file: { content: 'part', lineCount: 99 } })).toEqual({
      file: { content: 'part', lineCount: 99 },
    });
  });

  test('transient fields go, but not where they are an extension’s or a tool’s own', () => {
    const call = {
      type: 'toolCall',
      partialJson: '{"a',
      arguments: { partialJson: 'mine', deep: { jsonlEvents: [1] } },
    };
    const entry = {
      type: 'message',
      partialJson: { a: 1 },
      message: { role: 'toolResult', content: [call], details: { results: [{ jsonlEvents: [1], kept: 1 }] } },
    };
    expect(persisted(entry)).toEqual({
      type: 'message',
      message: {
        role: 'toolResult',
        content: [{ type: 'toolCall', arguments: { partialJson: 'mine', deep: { jsonlEvents: [1] } } }],
        details: { results: [{ kept: 1 }] },
      },
    });
    const own = { type: 'custom', customType: 'x', data: { partialJson: 'a', list: [{ jsonlEvents: 1 }] } };
    expect(persisted(own)).toEqual(own);
    const details = { type: 'custom_message', details: { partialJson: 'a' }, content: 'x' };
    expect(persisted(details)).toEqual(details);
  });

  test('an image that is not stored elsewhere is never cut', () => {
    const data = 'A'.repeat(600_000);
    const entry = { message: { role: 'fileMention', files: [{ path: 'p', image: { type: 'image', data } }] } };
    expect(persisted(entry)).toEqual(entry);
  });

  test('the entry itself stays as it is, proxies and dates included', () => {
    const seen: PropertyKey[] = [];
    const details = new Proxy(
      { a: 'x'.repeat(600_000) },
      { get: (target, key) => Reflect.get(target, seen[seen.push(key) - 1] ?? key) },
    );
    const entry = { type: 'custom', when: new Date(0), details };
    expect(persisted(entry)['when']).toBe('1970-01-01T00:00:00.000Z');
    expect(entry.details.a).toHaveLength(600_000);
    expect(seen).toContain('a');
  });
});

describe('images', () => {
  const storage = new FileSessionStorage();
  const imageOf = (sizeBytes: number, fill = 1) => Buffer.alloc(sizeBytes, fill).toString('base64');
  const withImages = (...data: string[]): AgentMessage =>
    answer('x', { content: data.map((item) => ({ type: 'image', mimeType: 'image/png', data: item })) });
  const lastLine = (session: SessionManager) =>
    JSON.parse(
      fs
        .readFileSync(session.getSessionFile() ?? '', 'utf8')
        .trimEnd()
        .split('\n')
        .at(-1) ?? '',
    );
  const blobs = () => fs.readdirSync(join(place.agentDir, 'blobs'));

  test('one of 1,024 characters goes to a blob, one of 1,020 stays; both come back', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    const [small, large] = [imageOf(765), imageOf(768)];
    session.appendMessage(withImages(small, large));
    await session.close();
    const [first, second] = lastLine(session).message.content;
    const hash = createHash('sha256').update(Buffer.alloc(768, 1)).digest('hex');
    expect(first.data).toBe(small);
    expect(second.data).toBe(`blob:sha256:${hash}`);
    expect(blobs()).toEqual([hash]);
    const again = await SessionManager.open(session.getSessionFile() ?? '', undefined, storage);
    expect(again.getEntries()).toEqual(session.getEntries());
  });

  test('an image_url goes to a blob at any size and depth, and comes back', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    session.appendMessage(answer('x', { details: { deep: [{ image_url: 'data:image/png;base64,AA==' }] } }));
    await session.close();
    expect(lastLine(session).message.details.deep[0].image_url).toMatch(/^blob:sha256:[0-9a-f]{64}$/);
    const again = await SessionManager.open(session.getSessionFile() ?? '', undefined, storage);
    expect(again.getEntries()).toEqual(session.getEntries());
  });

  test('images in nested content come back too; what would not come back unchanged stays inline', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    const odd = `data:image/png;base64,${imageOf(900)}`;
    const url = imageOf(900, 255).replaceAll('/', '_');
    session.appendMessage(
      answer('x', {
        content: [
          { type: 'image', data: odd },
          { type: 'image', data: url },
        ],
        details: { content: [[{ type: 'image', data: imageOf(900) }]] },
      }),
    );
    await session.close();
    const { message } = lastLine(session);
    expect(message.content.map((block: { data: string }) => block.data)).toEqual([odd, url]);
    expect(message.details.content[0][0].data).toMatch(/^blob:/);
    const again = await SessionManager.open(session.getSessionFile() ?? '', undefined, storage);
    expect(again.getEntries()).toEqual(session.getEntries());
  });

  test('one that cannot be stored stays in its line', async () => {
    fs.mkdirSync(place.agentDir, { recursive: true });
    fs.writeFileSync(join(place.agentDir, 'blobs'), 'in the way');
    const session = newSession({ storage, dir: place.sessionDir });
    session.appendMessage(withImages(imageOf(5000)));
    session.appendMessage(withImages(imageOf(6000)));
    await session.close();
    expect(lastLine(session).message.content[0].data).toBe(imageOf(6000));
  });

  test('a missing blob leaves its reference, with one warning for all', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const session = newSession({ storage, dir: place.sessionDir });
    session.appendMessage(withImages(imageOf(5000), imageOf(6000)));
    await session.close();
    for (const name of blobs()) fs.rmSync(join(place.agentDir, 'blobs', name));
    const again = await SessionManager.open(session.getSessionFile() ?? '', undefined, storage);
    expect(JSON.stringify(again.getEntries())).toMatch(/"data":"blob:sha256:/);
    expect(warning).toHaveBeenCalledOnce();
    await again.rewriteEntries();
    expect(lastLine(session).message.content[0].data).toMatch(/^blob:/);
  });

  test('a rewrite leaves lines with images as they are and writes no image back inline', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    session.appendMessage(withImages(imageOf(5000)));
    const text = session.appendMessage(answer('text'));
    await session.close();
    const before = fs.readFileSync(session.getSessionFile() ?? '', 'utf8').split('\n');
    const again = await SessionManager.open(session.getSessionFile() ?? '', undefined, storage);
    Object.assign((again.getEntry(text) as { message: object }).message, { errorMessage: 'e' });
    await again.rewriteEntries();
    const after = fs.readFileSync(session.getSessionFile() ?? '', 'utf8').split('\n');
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toBe(before[2]);
  });

  test('blobs go along into another agent’s folder', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    session.appendMessage(withImages(imageOf(5000)));
    await session.close();
    const other = join(place.agentDir, 'other');
    const copy = await SessionManager.forkFrom(session.getSessionFile() ?? '', '/v', join(other, 'sessions', '--v--'));
    expect(fs.readdirSync(join(other, 'blobs'))).toEqual(blobs());
    await copy.close();
    const again = await SessionManager.open(copy.getSessionFile() ?? '', undefined, storage);
    expect(again.getEntries()).toEqual(session.getEntries());
  });

  test('a message with an image of 3 MB, a text of 2 MB and a signature of 1 MB', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    const image = imageOf(3 * 1024 * 1024, 7);
    const content = [
      { type: 'image', mimeType: 'image/png', data: image },
      { type: 'text', text: 'é'.repeat(2_000_000) },
      { type: 'thinking', thinking: 'hm', thinkingSignature: 's'.repeat(1_000_000) },
    ];
    session.appendMessage(answer('x', { content }));
    await session.close();
    expect(fs.statSync(session.getSessionFile() ?? '').size).toBeLessThan(1_100_000);
    const again = await SessionManager.open(session.getSessionFile() ?? '', undefined, storage);
    const [first, second, third] = (
      again.getEntries()[0] as unknown as { message: { content: Record<string, string>[] } }
    ).message.content;
    expect(first?.['data']).toBe(image);
    expect(second?.['text']).toHaveLength(MAX_PERSIST_CHARS);
    expect(third).toEqual({ type: 'thinking', thinking: 'hm', thinkingSignature: '' });
  });
});

describe('artifacts', () => {
  const storage = new FileSessionStorage();

  test('their numbers go on after the highest there is; names of tools are made safe', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    const dir = session.getArtifactsDir() ?? '';
    expect(dir).toBe(session.getSessionFile()?.replace(/\.jsonl$/, ''));
    fs.mkdirSync(dir, { recursive: true });
    fs.writeFileSync(join(dir, '7.bash.log'), '');
    expect(await session.allocateArtifactPath('read')).toEqual({ id: '8', path: join(dir, '8.read.log') });
    const id = await session.saveArtifact('text', '../../evil');
    expect(id).toBe('9');
    expect(await session.getArtifactPath('9')).toBe(join(dir, '9...-..-evil.log'));
    expect(fs.readFileSync(join(dir, '9...-..-evil.log'), 'utf8')).toBe('text');
    expect(await session.getArtifactPath('../8')).toBeNull();
    expect(await session.getArtifactPath('10')).toBeNull();
    expect(await session.readArtifact('9')).toBe('text');
  });

  test('putBlob stores beside the session', async () => {
    const session = newSession({ storage, dir: place.sessionDir });
    const { path } = await session.putBlob(Buffer.from('bytes'));
    expect(path.startsWith(join(place.agentDir, 'blobs'))).toBe(true);
    expect(fs.readFileSync(path, 'utf8')).toBe('bytes');
  });
});
