import { neutraliseLine } from './neutralise.ts';
import { graphemes } from './text.ts';

/** One key as the machines see it. */
export interface KeyPress {
  /** `up`, `shift+up`, `ctrl+s`, `alt+h`, `f1`; a printable key is its own name. */
  readonly name: string;
  /** What it types; '' for a key that types nothing. */
  readonly text: string;
}

/** What Ink tells of a key, as far as it matters here. */
export interface RawKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
  readonly eventType?: 'press' | 'repeat' | 'release' | undefined;
}

const FLAGS = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pagedown'],
  ['pageUp', 'pageup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
] as const satisfies readonly (readonly [keyof RawKey, string])[];

/** Function keys by the sequences of xterm, the Linux console, rxvt and kitty. Ink knows them, but tells them to nobody. */
const FUNCTION_KEY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys arrive as escape sequences
  /^\x1b+(?:O(?<ss3>[PQRS])|\[1;(?<mod>\d+)(?::\d)?(?<csi>[PQRS])|\[\[(?<linux>[A-D])|\[(?<number>1[1-4])(?:;(?<mod2>\d+)(?::\d)?)?~)$/;

function functionKey(sequence: string): string | undefined {
  const parts = FUNCTION_KEY.exec(sequence)?.groups;
  if (parts === undefined) return undefined;
  const letter = parts['ss3'] ?? parts['csi'];
  const number =
    letter !== undefined
      ? 'PQRS'.indexOf(letter) + 1
      : parts['linux'] !== undefined
        ? 'ABCD'.indexOf(parts['linux']) + 1
        : Number(parts['number']) - 10;
  const held = Number(parts['mod'] ?? parts['mod2'] ?? 1) - 1;
  return modified(`f${number}`, (held & 4) > 0, (held & 2) > 0, (held & 1) > 0);
}

function modified(name: string, ctrl: boolean, alt: boolean, shift: boolean): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}

const named = (name: string): KeyPress => ({ name, text: '' });

/** Control characters within a typed burst, by what a key with that code does alone. */
function controlKey(code: number): KeyPress | undefined {
  switch (code) {
    case 0x0d:
    case 0x0a:
      return named('enter');
    case 0x09:
      return named('tab');
    case 0x1b:
      return named('esc');
    case 0x7f:
    case 0x08:
      return named('backspace');
  }
  return code > 0 && code < 0x1b ? named(`ctrl+${String.fromCharCode(code + 0x60)}`) : undefined;
}

function typed(input: string): KeyPress[] {
  const presses: KeyPress[] = [];
  for (const grapheme of graphemes(input)) {
    // `\r\n` is one grapheme.
    const control = controlKey(grapheme.charCodeAt(0));
    const text = control === undefined ? (grapheme === ' ' ? ' ' : neutraliseLine(grapheme)) : '';
    if (control !== undefined) presses.push(control);
    else if (text !== '') presses.push({ name: text, text });
  }
  return presses;
}

/**
 * The keys in one report of Ink's `useInput`: none for a release, several when fast typing arrives as one string.
 * `sequence` is what the terminal sent, the only trace of a function key.
 */
export function keyPresses(input: string, key: RawKey, sequence: string): KeyPress[] {
  if (key.eventType === 'release') return [];
  // Two Escs in one breath look like Alt+Esc.
  if (key.escape) return key.meta ? [named('esc'), named('esc')] : [named('esc')];
  const flag = FLAGS.find(([property]) => key[property]);
  if (flag !== undefined) return [named(modified(flag[1], key.ctrl, key.meta, key.shift))];
  if (input === '') {
    const name = functionKey(sequence);
    return name === undefined ? [] : [named(name)];
  }
  if (key.ctrl) return [named(modified(input === ' ' ? 'space' : input.toLowerCase(), true, key.meta, key.shift))];
  if (key.meta) return [named(modified(input.toLowerCase(), false, true, key.shift))];
  return typed(key.shift && input.length === 1 ? input.toUpperCase() : input);
}

const LABELS: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  home: 'Home',
  end: 'End',
  enter: 'Enter',
  esc: 'Esc',
  tab: 'Tab',
  backspace: 'Backspace',
  delete: 'Del',
  space: 'Space',
  ' ': 'Space',
  ctrl: 'Ctrl',
  alt: 'Alt',
  shift: 'Shift',
};

/** A key's name as people read it: `ctrl+s` → `Ctrl+S`, `shift+up` → `Shift+↑`, `t` → `t`. */
export function keyLabel(name: string): string {
  if (Array.from(name).length === 1) return LABELS[name] ?? name;
  return name
    .split('+')
    .map((part) => LABELS[part] ?? part.toUpperCase())
    .join('+');
}
