import fs from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBreadcrumb, listBreadcrumbs, readBreadcrumb, writeBreadcrumb } from '../../src/session/breadcrumbs.ts';
import { type TerminalId, terminalIdsOf } from '../../src/session/terminal-ids.ts';
import { makeTempDir } from './temp-dir.ts';

function idsOf(env: Record<string, string>, tty?: string): readonly string[] {
  return terminalIdsOf(env, tty).map((terminal) => terminal.id);
}

describe('the names of a terminal', () => {
  test('go from panes over emulators to the device', () => {
    const env = {
      ZELLIJ_PANE_ID: '4',
      TMUX_PANE: '%1',
      CMUX_SURFACE_ID: 's',
      KITTY_WINDOW_ID: '2',
      WEZTERM_PANE: '3',
      TERM_SESSION_ID: 'w0',
      WT_SESSION: 'g',
    };
    expect(idsOf(env, '/dev/pts/3')).toEqual([
      'zellij-4',
      'tmux-%1',
      'cmux-s',
      'kitty-2',
      'wezterm-3',
      'apple-w0',
      'wt-g',
      'pts-3',
    ]);
  });

  test('put the innermost emulator first, the inherited one after it', () => {
    const both = { KITTY_WINDOW_ID: '2', WEZTERM_PANE: '3' };
    expect(idsOf({ ...both, TERM: 'xterm-kitty' })).toEqual(['kitty-2', 'wezterm-3']);
    expect(idsOf({ ...both, TERM_PROGRAM: 'WezTerm' })).toEqual(['wezterm-3', 'kitty-2']);
    expect(idsOf({ ...both, TERM_SESSION_ID: 'x', TERM_PROGRAM: 'iTerm.app' })[0]).toBe('apple-x');
  });

  test('tell the sessions of zellij apart, however long their names', () => {
    expect(idsOf({ ZELLIJ_SESSION_NAME: 'a b', ZELLIJ_PANE_ID: '1' })).toEqual(['zellij-a-b-1']);
    const long = 'n'.repeat(100);
    const [one] = idsOf({ ZELLIJ_SESSION_NAME: long, ZELLIJ_PANE_ID: '1' });
    const [two] = idsOf({ ZELLIJ_SESSION_NAME: long, ZELLIJ_PANE_ID: '2' });
    expect(one).not.toBe(two);
  });

  test('are none without a terminal, and empty variables count for nothing', () => {
    expect(idsOf({ TMUX_PANE: '', ZELLIJ_SESSION_NAME: 'x' })).toEqual([]);
    expect(idsOf({}, 'pipe:[1]')).toEqual([]);
  });

  test('never leave the folder', () => {
    expect(idsOf({ TERM_SESSION_ID: '../../x' })).toEqual(['apple-..-..-x']);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        for (const id of idsOf({ TMUX_PANE: value, WT_SESSION: value }, `/dev/${value}`)) {
          expect(id).toMatch(/^[A-Za-z0-9._%-]{1,64}$/);
          expect(['.', '..']).not.toContain(id);
        }
      }),
    );
  });
});

function pane(id: string): TerminalId {
  return { kind: 'pane', id };
}

function tty(id: string): TerminalId {
  return { kind: 'tty', id };
}

interface Place {
  readonly dir: string;
  readonly cwd: string;
  readonly crumbs: string;
  session(name: string): string;
  /** Writes a breadcrumb as an agent would; a later `order` is newer. */
  crumb(id: string, text: string, order: number, folder?: string): void;
}

function makePlace(): Place {
  const dir = makeTempDir();
  const cwd = join(dir, 'project');
  const crumbs = join(dir, 'agent', 'terminal-sessions');
  fs.mkdirSync(cwd);
  return {
    dir,
    cwd,
    crumbs,
    session(name) {
      const path = join(dir, 'agent', 'sessions', '-p', name);
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, 'x');
      return path;
    },
    crumb(id, text, order, folder = crumbs) {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(join(folder, id), text);
      fs.utimesSync(join(folder, id), 2_000_000_000 + order, 2_000_000_000 + order);
    },
  };
}

async function find(place: Place, terminals: readonly TerminalId[], options: { cwd?: string; dirs?: string[] } = {}) {
  const found = await findBreadcrumb({
    cwd: options.cwd ?? place.cwd,
    breadcrumbsDirs: options.dirs ?? [place.crumbs],
    terminals,
    isResumable: (path) => fs.existsSync(path) && !path.endsWith('stub.jsonl'),
  });
  return found?.sessionFile;
}

describe('reading', () => {
  test('understands the forms of xcsh and omp', () => {
    const { crumbs, crumb } = makePlace();
    crumb('x', '/p\n/s.jsonl\n', 1);
    crumb('o', '/p\n/s.jsonl\nfresh\ncwdstat 64 128\n', 2);
    crumb('r', '/p\r\nsub/s.jsonl\r\n', 3);
    expect(readBreadcrumb(join(crumbs, 'x'))).toMatchObject({ cwd: '/p', sessionFile: '/s.jsonl' });
    expect(readBreadcrumb(join(crumbs, 'x'))).not.toHaveProperty('cwdIdentity');
    expect(readBreadcrumb(join(crumbs, 'o'))).toMatchObject({ cwdIdentity: { device: '64', inode: '128' } });
    expect(readBreadcrumb(join(crumbs, 'r'))).toMatchObject({ cwd: '/p', sessionFile: '/p/sub/s.jsonl' });
    expect(listBreadcrumbs(crumbs).map((item) => item.writtenMs)).toHaveLength(3);
  });

  test('takes nothing else for a breadcrumb', () => {
    const { crumbs, crumb } = makePlace();
    const texts = [
      '',
      '\n',
      '/p\n',
      '\n/s.jsonl\n',
      'p\n/s.jsonl\n',
      '/p\n/s\0.jsonl\n',
      `/p\n/${'x'.repeat(70_000)}\n`,
    ];
    for (const [index, text] of texts.entries()) crumb(`${index}`, text, index);
    fs.mkdirSync(join(crumbs, 'folder'));
    expect(listBreadcrumbs(crumbs)).toEqual([]);
    expect(readBreadcrumb(join(crumbs, 'none'))).toBeUndefined();
    expect(listBreadcrumbs(join(crumbs, 'none'))).toEqual([]);
  });

  test('two panes each find their own session after their devices were swapped', async () => {
    const place = makePlace();
    const [x, y] = [place.session('x.jsonl'), place.session('y.jsonl')];
    writeBreadcrumb(place.crumbs, { cwd: place.cwd, sessionFile: x }, [pane('tmux-%1'), tty('pts-3')]);
    writeBreadcrumb(place.crumbs, { cwd: place.cwd, sessionFile: y }, [pane('tmux-%2'), tty('pts-4')]);
    expect(await find(place, [pane('tmux-%1'), tty('pts-4')])).toBe(x);
    expect(await find(place, [pane('tmux-%2'), tty('pts-3')])).toBe(y);
  });

  test('takes the newest over all agents, but a pane before a newer device', async () => {
    const place = makePlace();
    const other = join(place.dir, 'omp', 'terminal-sessions');
    const [a, b, c] = ['a.jsonl', 'b.jsonl', 'c.jsonl'].map((name) => place.session(name));
    place.crumb('tmux-%1', `${place.cwd}\n${a}\n`, 1);
    place.crumb('tmux-%1', `${place.cwd}\n${b}\n`, 2, other);
    place.crumb('pts-3', `${place.cwd}\n${c}\n`, 3);
    const dirs = [place.crumbs, other];
    expect(await find(place, [pane('tmux-%1'), tty('pts-3')], { dirs })).toBe(b);
    expect(await find(place, [tty('pts-3')], { dirs })).toBe(c);
  });

  test('passes over other folders, missing files and sessions without a turn', async () => {
    const place = makePlace();
    const [a, b, stub] = ['a.jsonl', 'b.jsonl', 'stub.jsonl'].map((name) => place.session(name));
    place.crumb('tmux-%1', `${place.cwd}\n${stub}\n`, 9);
    place.crumb('zellij-1', `${place.dir}\n${b}\n`, 8);
    place.crumb('cmux-1', `${place.cwd}\n${place.dir}/none.jsonl\nfresh\n`, 7);
    place.crumb('pts-3', `${place.cwd}\n${a}\n`, 1);
    expect(await find(place, [pane('zellij-1'), pane('tmux-%1'), pane('cmux-1'), tty('pts-3')])).toBe(a);
    expect(await find(place, [pane('tmux-%1')])).toBeUndefined();
  });

  test('knows a folder by its real path and by a link to it', async () => {
    const place = makePlace();
    const a = place.session('a.jsonl');
    fs.symlinkSync('project', join(place.dir, 'link'));
    place.crumb('pts-1', `${place.cwd}\n${a}\n`, 1);
    place.crumb('pts-2', `${place.dir}/link\n${a}\n`, 1);
    expect(await find(place, [tty('pts-1')], { cwd: join(place.dir, 'link') })).toBe(a);
    expect(await find(place, [tty('pts-2')])).toBe(a);
  });

  test('knows a folder that was moved, and no younger one on its inode', async () => {
    const place = makePlace();
    const a = place.session('a.jsonl');
    const stat = fs.statSync(place.cwd, { bigint: true });
    const text = `${place.dir}/gone\n${a}\ncwdstat ${stat.dev} ${stat.ino}\n`;
    place.crumb('pts-1', text, 1);
    expect(await find(place, [tty('pts-1')])).toBe(a);
    place.crumb('pts-1', text.replace(`${stat.ino}\n`, '1\n'), 1);
    expect(await find(place, [tty('pts-1')])).toBeUndefined();
    place.crumb('pts-1', text, -1_900_000_000);
    expect(await find(place, [tty('pts-1')])).toBeUndefined();
  });

  test('climbs from the file of a sub-agent to its session', async () => {
    const place = makePlace();
    const a = place.session('a.jsonl');
    const nested = place.session('a/deep/0-task.jsonl');
    place.crumb('pts-1', `${place.cwd}\n${nested}\n`, 1);
    expect(await find(place, [tty('pts-1')])).toBe(a);
  });
});

describe('writing', () => {
  test('notes pane and device privately, no emulator, and can be read back', () => {
    const { crumbs, cwd, session } = makePlace();
    const a = session('a.jsonl');
    const terminals = [pane('tmux-%1'), pane('cmux-1'), { kind: 'emulator', id: 'kitty-1' } as const, tty('pts-3')];
    expect(writeBreadcrumb(crumbs, { cwd, sessionFile: a }, terminals)).toEqual([
      join(crumbs, 'tmux-%1'),
      join(crumbs, 'pts-3'),
    ]);
    expect(fs.readFileSync(join(crumbs, 'pts-3'), 'utf8')).toBe(`${cwd}\n${a}\n`);
    expect(fs.statSync(join(crumbs, 'pts-3')).mode & 0o777).toBe(0o600);
    expect(fs.statSync(crumbs).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(crumbs).sort()).toEqual(['pts-3', 'tmux-%1']);
    expect(readBreadcrumb(join(crumbs, 'tmux-%1'))).toMatchObject({ cwd, sessionFile: a });
  });

  test('falls back on the emulator, and is nothing for a terminal without a name', () => {
    const { crumbs } = makePlace();
    const kitty = { kind: 'emulator', id: 'kitty-1' } as const;
    expect(writeBreadcrumb(crumbs, { cwd: '/p', sessionFile: '/s' }, [kitty])).toEqual([join(crumbs, 'kitty-1')]);
    expect(writeBreadcrumb(crumbs, { cwd: '/p', sessionFile: '/s' }, [])).toEqual([]);
  });

  test('any paths round-trip or are not written', () => {
    const { crumbs } = makePlace();
    const path = fc
      .string({ unit: fc.constantFrom('a', '/', ' ', '\n', '\r', '\0', 'é', '\u2028') })
      .map((text) => `/${text}`);
    fc.assert(
      fc.property(path, path, (cwd, sessionFile) => {
        const [written] = writeBreadcrumb(crumbs, { cwd, sessionFile }, [tty('pts-1')]);
        if (written === undefined) expect(cwd + sessionFile).toMatch(/[\n\r\0]/);
        else expect(fs.readFileSync(written, 'utf8').split('\n')).toEqual([cwd, sessionFile, '']);
        if (written !== undefined) expect(readBreadcrumb(written)?.cwd).toBe(cwd);
      }),
      { numRuns: 50 },
    );
  });
});
