import { neutraliseLine } from './neutralise.ts';
import { graphemes } from './text.ts';

/** A line of text being edited; the cursor counts graphemes, 0 … their number. */
export interface Line {
  readonly text: string;
  readonly cursor: number;
}

/** What can be done to a line; named as in the table of keys. */
export type LineAction =
  | 'left'
  | 'right'
  | 'wordLeft'
  | 'wordRight'
  | 'lineStart'
  | 'lineEnd'
  | 'deleteLeft'
  | 'deleteRight'
  | 'deleteWordLeft'
  | 'deleteWordRight'
  | 'deleteToStart'
  | 'deleteToEnd';

const lineActions: readonly string[] = [
  'left',
  'right',
  'wordLeft',
  'wordRight',
  'lineStart',
  'lineEnd',
  'deleteLeft',
  'deleteRight',
  'deleteWordLeft',
  'deleteWordRight',
  'deleteToStart',
  'deleteToEnd',
] satisfies readonly LineAction[];

/** Does an action edit the line? */
export function isLineAction(does: string): does is LineAction {
  return lineActions.includes(does);
}

// Far more than anybody types; a whole file pasted by mistake must not freeze the search.
const MAX_UNITS = 1_000;

/** An empty line, or one with the cursor behind its text. */
export function lineOf(text = ''): Line {
  return insert({ text: '', cursor: 0 }, text);
}

/** The text inserted at the cursor: controls dropped, line breaks as spaces; what exceeds 1,000 characters is left out. */
export function insert(line: Line, text: string): Line {
  const room = MAX_UNITS - line.text.length;
  // A lone space is no text to trim.
  const clean = /^ +$/.test(text) ? text : keepOuterSpaces(text.slice(0, MAX_UNITS * 4));
  const added = graphemes(clean.slice(0, Math.max(0, room)).toWellFormed());
  if (added.length === 0) return line;
  const before = graphemes(line.text).slice(0, line.cursor).join('') + added.join('');
  const whole = before + graphemes(line.text).slice(line.cursor).join('');
  // What was typed may have joined what stood before it (a combining mark), so count anew.
  return { text: whole, cursor: Math.min(graphemes(before).length, graphemes(whole).length) };
}

function keepOuterSpaces(text: string): string {
  const clean = neutraliseLine(text);
  if (clean === '') return '';
  return (text.startsWith(' ') ? ' ' : '') + clean + (text.endsWith(' ') ? ' ' : '');
}

function wordStart(parts: readonly string[], from: number): number {
  let index = from;
  while (index > 0 && parts[index - 1] === ' ') index--;
  while (index > 0 && parts[index - 1] !== ' ') index--;
  return index;
}

function wordEnd(parts: readonly string[], from: number): number {
  let index = from;
  while (index < parts.length && parts[index] === ' ') index++;
  while (index < parts.length && parts[index] !== ' ') index++;
  return index;
}

function removeBetween(parts: readonly string[], from: number, to: number): Line {
  const start = Math.max(0, from);
  const text = [...parts.slice(0, start), ...parts.slice(to)].join('');
  return { text, cursor: Math.min(start, graphemes(text).length) };
}

/** The line after an action; the same object when nothing changes. */
export function editLine(line: Line, action: LineAction): Line {
  const parts = graphemes(line.text);
  const { cursor } = line;
  const moveTo = (to: number): Line => (to === cursor ? line : { text: line.text, cursor: to });
  const remove = (from: number, to: number): Line => (from >= to ? line : removeBetween(parts, from, to));
  switch (action) {
    case 'left':
      return moveTo(Math.max(0, cursor - 1));
    case 'right':
      return moveTo(Math.min(parts.length, cursor + 1));
    case 'wordLeft':
      return moveTo(wordStart(parts, cursor));
    case 'wordRight':
      return moveTo(wordEnd(parts, cursor));
    case 'lineStart':
      return moveTo(0);
    case 'lineEnd':
      return moveTo(parts.length);
    case 'deleteLeft':
      return remove(Math.max(0, cursor - 1), cursor);
    case 'deleteRight':
      return remove(cursor, Math.min(parts.length, cursor + 1));
    case 'deleteWordLeft':
      return remove(wordStart(parts, cursor), cursor);
    case 'deleteWordRight':
      return remove(cursor, wordEnd(parts, cursor));
    case 'deleteToStart':
      return remove(0, cursor);
    case 'deleteToEnd':
      return remove(cursor, parts.length);
  }
}
