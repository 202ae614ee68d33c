import type { WindowSize } from './layout.ts';
import type { Menu, MenuItem } from './overlays.ts';
import { fitSpans, type Spans, span, spread } from './spans.ts';
import { fit, truncate, widthCells, wrap } from './text.ts';

/** A menu as it is drawn. */
export interface MenuFrame {
  /** Its title and what it is about; little of it in a low window. */
  readonly lines: readonly Spans[];
  /** The first item that is shown. */
  readonly from: number;
  /** The lines of each item that is shown, without the cursor's column. */
  readonly items: readonly (readonly string[])[];
}

const LABEL_CELLS = 50;
const KEY_CELLS = 10;
/** The cursor's column, and a free one at the right. */
const BESIDE_CELLS = 5;
const MAX_TITLE_LINES = 2;
const MAX_ABOUT_LINES = 4;

/** A label with its key, on as many lines as it needs; those below the first are set in. */
function itemLines(label: string, key: string, columns: number): string[] {
  const room = columns - BESIDE_CELLS;
  const cells = Math.min(key === '' ? Math.max(LABEL_CELLS, widthCells(label)) : LABEL_CELLS, room);
  const hasKey = key !== '' && cells >= 24;
  const labelCells = hasKey ? cells - KEY_CELLS : cells;
  const [first = ''] = wrap(label, Math.max(1, labelCells), 1);
  const rest = label.slice(first.length).trimStart();
  const more = rest === '' ? [] : wrap(rest, Math.max(1, labelCells - 2));
  return [
    fit(first, labelCells) + (hasKey ? ` ${fit(key, KEY_CELLS - 1)}` : ''),
    ...more.map((line) => fit(`  ${line}`, labelCells)),
  ];
}

function heightOf(items: readonly (readonly string[])[]): number {
  return items.reduce((sum, { length }) => sum + length, 0);
}

/** What a menu is about, in so few lines as there is room for: its first text, an entry or a title, is cut first. */
function aboutLines(texts: readonly string[], cells: number, room: number): string[] {
  const lines = texts.flatMap((text) => wrap(text, cells, MAX_ABOUT_LINES));
  if (lines.length <= room) return lines;
  const [first = '', ...rest] = texts;
  const cut = [truncate(first, cells), ...rest.flatMap((text) => wrap(text, cells, MAX_ABOUT_LINES))];
  if (cut.length <= room) return cut;
  return cut.slice(0, room).map((line, index) => (index === room - 1 ? truncate(`${line} …`, cells) : line));
}

/** The items that have room, the selected one among them: from the first one on, or so that the selected one is the last. */
function windowOf(items: readonly (readonly string[])[], room: number, selected: number): readonly [number, number] {
  let to = 0;
  for (let height = 0; to < items.length; to++) {
    height += items[to]?.length ?? 0;
    if (height > room && to > 0) break;
  }
  if (selected < to) return [0, to];
  let from = selected;
  for (let height = items[selected]?.length ?? 0; from > 0; from--) {
    height += items[from - 1]?.length ?? 0;
    if (height > room) break;
  }
  return [from, selected + 1];
}

/** A menu over a screen of this size, with an item selected. Nothing is cut while there is room to wrap it. */
export function menuFrame(
  { title, lines: texts, items }: Menu<unknown>,
  { columns, rows }: WindowSize,
  selected: number,
): MenuFrame {
  const height = rows - 1;
  const cells = Math.max(1, columns - 4);
  const told = texts.filter((text) => text !== '');
  const all = told.flatMap((text) => wrap(text, cells, MAX_ABOUT_LINES));
  const titles = wrap(title, cells, MAX_TITLE_LINES);
  const draw = (labelOf: (item: MenuItem<unknown>) => string): string[][] =>
    items.map((item) => itemLines(labelOf(item), item.key, columns));
  const whole = draw(({ label }) => label);
  // In few words, where the others would push out what they are about.
  const isTight = titles.length + all.length + heightOf(whole) > height;
  const drawn = isTight ? draw(({ label, short }) => short ?? label) : whole;
  const room = height - titles.length - heightOf(drawn);
  const about = aboutLines(told, cells, Math.max(0, room));
  const [from, to] = windowOf(drawn, height - titles.length, selected);
  const isWindowed = to - from < items.length;
  const place = isWindowed ? [span(`${selected + 1}/${items.length}`, 'faint')] : [];
  const body: Spans[] = [
    ...titles.map((line, index) => {
      const spans = [span(`  ${line}`, 'strong')];
      return index === 0 ? spread(spans, place, columns) : fitSpans(spans, columns);
    }),
    ...about.map((line): Spans => [span(`  ${line}`, 'faint')]),
  ];
  const isAiry = about.length === all.length && room >= about.length + 2;
  return { lines: isAiry ? [[], ...body, []] : body, from, items: drawn.slice(from, to) };
}
