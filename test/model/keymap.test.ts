import { expect, it } from 'vitest';
import { keyLabel, keyPresses, type RawKey } from '../../src/model/key-names.ts';
import { bindings, bindingsOf, helpGroups, keysAsMarkdown, lookUp, type Mode } from '../../src/model/keymap.ts';

const modes: readonly Mode[] = [
  'picker',
  'transcript',
  'help',
  'menu',
  'dialog',
  'tree',
  'treePanel',
  'field',
  'labels',
];

const noKey: RawKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  tab: false,
  backspace: false,
  delete: false,
  ctrl: false,
  shift: false,
  meta: false,
};

function names(input: string, key: Partial<RawKey> = {}, sequence = ''): string[] {
  return keyPresses(input, { ...noKey, ...key }, sequence).map(({ name }) => name);
}

it.each(modes)('no key is bound twice in %s', (mode) => {
  const keys = bindingsOf(mode).flatMap((row) => row.keys);
  expect(keys).toEqual([...new Set(keys)]);
});

it('in a mode with a text line a printable key is a command only while the line is empty', () => {
  for (const row of bindingsOf('picker')) {
    if (row.keys.some((key) => Array.from(key).length === 1)) expect(row).toMatchObject({ onEmptyLine: true });
  }
});

it.each(modes)('Esc leaves %s, and Ctrl+C everything', (mode) => {
  expect(lookUp(mode, { name: 'esc', text: '' }, true)?.does).toBe('back');
  expect(lookUp(mode, { name: 'ctrl+c', text: '' }, true)?.does).toBe('quit');
});

it('? is help while the line is empty, and text when it is not', () => {
  expect(lookUp('picker', { name: '?', text: '?' }, true)?.does).toBe('help');
  expect(lookUp('picker', { name: '?', text: '?' }, false)).toBeUndefined();
});

it('every action stands in the help, with all its keys', () => {
  const shown = helpGroups().flatMap(({ rows }) => rows.map(([keys, help]) => `${keys}: ${help}`));
  for (const row of bindings) {
    if (
      row.modes.some((mode) => mode === 'help' || mode === 'menu') &&
      !row.modes.some((mode) => mode === 'picker' || mode === 'transcript')
    )
      continue;
    for (const key of row.keys) {
      expect(shown.some((line) => line.includes(keyLabel(key)) && line.endsWith(`: ${row.help}`))).toBe(true);
    }
  }
});

it('the table as Markdown has a row for each line of the help', () => {
  const lines = keysAsMarkdown()
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.includes('---'));
  expect(lines).toHaveLength(helpGroups().reduce((sum, { rows }) => sum + rows.length + 1, 0));
  expect(keysAsMarkdown()).toContain('| Ctrl+S | Next sort order |');
});

it.each([
  ['an arrow', '', { upArrow: true }, '', ['up']],
  ['a modified arrow', '', { downArrow: true, shift: true }, '', ['shift+down']],
  ['Ctrl and a letter', 's', { ctrl: true }, '', ['ctrl+s']],
  ['Alt and a letter', 'h', { meta: true }, '', ['alt+h']],
  ['Enter', '\r', { return: true }, '', ['enter']],
  ['Shift+Tab', '', { tab: true, shift: true }, '', ['shift+tab']],
  ['Esc', '', { escape: true }, '', ['esc']],
  ['two Escs in one breath', '', { escape: true, meta: true }, '', ['esc', 'esc']],
  ['F1 of xterm', '', {}, '\u001bOP', ['f1']],
  ['F2 of rxvt', '', {}, '\u001b[12~', ['f2']],
  ['F3 of the Linux console', '', {}, '\u001b[[C', ['f3']],
  ['Shift+F3', '', { shift: true }, '\u001b[1;2R', ['shift+f3']],
  ['a key that nothing is known of', '', {}, '\u001b[2~', []],
  ['a release', 's', { ctrl: true, eventType: 'release' as const }, '', []],
  ['fast typing', '/xy', {}, '', ['/', 'x', 'y']],
  ['typing with Enter in one breath', 'au\r', {}, '', ['a', 'u', 'enter']],
  ['typing with Tab and Ctrl+S in one breath', 'a\t\u0013', {}, '', ['a', 'tab', 'ctrl+s']],
  ['a capital letter', 'G', { shift: true }, '', ['G']],
  ['an emoji of several code points', '👨‍👩‍👧a', {}, '', ['👨', 'a']],
  ['a space', ' ', {}, '', [' ']],
])('%s is understood', (_, input, key, sequence, expected) => {
  expect(names(input, key, sequence)).toEqual(expected);
});

it.each([
  ['ctrl+s', 'Ctrl+S'],
  ['shift+up', 'Shift+↑'],
  ['f1', 'F1'],
  ['?', '?'],
  [' ', 'Space'],
  ['pagedown', 'PgDn'],
])('%s is written %s', (key, label) => {
  expect(keyLabel(key)).toBe(label);
});
