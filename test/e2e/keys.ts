/** Final letters of the keys that xterm reports as `CSI letter`, with a modifier as `CSI 1 ; m letter`. */
const LETTER_KEYS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  end: 'F',
  home: 'H',
  f1: 'P',
  f2: 'Q',
  f3: 'R',
  f4: 'S',
};

/** Numbers of the keys that xterm reports as `CSI number ~`. */
const NUMBER_KEYS: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

/** Keys that send a character: what they send, and its code for `CSI code ; m u` where the plain form has no modifier. */
const CHARACTER_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  esc: '\x1b',
  tab: '\t',
  backspace: '\x7f',
  space: ' ',
};

interface Modifiers {
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
}

/**
 * The bytes that xterm sends for a key: `a`, `?`, `down`, `enter`, `ctrl+t`, `alt+p`, `shift+f3`, `ctrl+left`, `shift+tab`.
 * Enter with Shift or Ctrl has no bytes of its own there and is sent in the newer `CSI u` form. A name that no
 * keyboard has throws.
 */
export function keyBytes(chord: string): string {
  const [, prefix = '', name = ''] = /^((?:[a-z]+\+)*)(.+)$/su.exec(chord) ?? [];
  const parts = prefix.split('+').slice(0, -1);
  for (const part of parts)
    if (!['shift', 'alt', 'ctrl'].includes(part)) throw new Error(`no such modifier: ${part} in ${chord}`);
  const held = { shift: parts.includes('shift'), alt: parts.includes('alt'), ctrl: parts.includes('ctrl') };
  const bytes = functionKey(name, held) ?? characterKey(name, held);
  if (bytes === undefined) throw new Error(`no such key: ${chord}`);
  return bytes;
}

function modifierNumber({ shift, alt, ctrl }: Modifiers): number {
  return 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
}

function functionKey(name: string, held: Modifiers): string | undefined {
  const modifier = modifierNumber(held);
  const letter = LETTER_KEYS[name];
  if (letter !== undefined) {
    if (modifier > 1) return `\x1b[1;${modifier}${letter}`;
    return name.startsWith('f') ? `\x1bO${letter}` : `\x1b[${letter}`;
  }
  const number = NUMBER_KEYS[name];
  return number === undefined ? undefined : `\x1b[${number}${modifier > 1 ? `;${modifier}` : ''}~`;
}

function characterKey(name: string, held: Modifiers): string | undefined {
  const plain = CHARACTER_KEYS[name] ?? (Array.from(name).length === 1 ? name : undefined);
  if (plain === undefined) return undefined;
  const prefix = held.alt ? '\x1b' : '';
  if (name === 'tab' && held.shift) return `${prefix}\x1b[Z`;
  if (name === 'backspace' && held.ctrl) return `${prefix}\b`;
  if (name === 'space' && held.ctrl) return `${prefix}\0`;
  if (name === 'enter' && (held.shift || held.ctrl)) return `\x1b[13;${modifierNumber(held)}u`;
  if (name.length > 1) return prefix + plain;
  if (held.ctrl) {
    const code = plain.toUpperCase().charCodeAt(0);
    return code >= 0x40 && code < 0x60 ? prefix + String.fromCharCode(code & 0x1f) : undefined;
  }
  return prefix + (held.shift ? plain.toUpperCase() : plain);
}
