import { type HelpScreen, helpGroups } from './keymap.ts';
import { filterHelp } from './query.ts';
import { markHelp } from './session-line.ts';
import { fitSpans, type Spans, type Style, span } from './spans.ts';
import { fit, widthCells, wrap } from './text.ts';

const KEY_CELLS = 22;

/** What the search line of the prompt history understands. */
const promptSearchHelp = [
  ['word', 'at the beginning of a word, or anywhere in it'],
  ['several words', 'all of them, in any order'],
  ['anything else', 'is text as well: no sign is an operator'],
] as const;

/** The help screen as lines of `columns` cells: keys, search words, signs. */
export function helpLines(columns: number, screen: HelpScreen = 'picker'): readonly Spans[] {
  const lines: Spans[] = [];
  const keyCells = Math.min(KEY_CELLS, Math.floor(columns / 2));
  const title = (text: string): void => {
    if (lines.length > 0) lines.push([]);
    lines.push(fitSpans([span(text, 'strong')], columns));
  };
  const row = (key: string, help: string, style: Style): void => {
    const isLong = widthCells(key) > keyCells - 1;
    if (isLong) lines.push(fitSpans([span(`  ${key}`, style)], columns));
    for (const [index, text] of wrap(help, Math.max(1, columns - keyCells - 2)).entries()) {
      lines.push(fitSpans([span(`  ${fit(isLong || index > 0 ? '' : key, keyCells)}`, style), span(text)], columns));
    }
  };
  for (const { title: name, rows } of helpGroups(screen)) {
    title(name);
    for (const [keys, help] of rows) row(keys, help, 'accent');
  }
  title('Search words');
  if (screen === 'history') {
    for (const [word, help] of promptSearchHelp) row(word, help, 'accent');
    return lines;
  }
  for (const [word, help] of filterHelp) row(word, help, 'accent');
  title('Signs');
  for (const [sign, style, meaning] of markHelp) row(sign, meaning, style);
  return lines;
}
