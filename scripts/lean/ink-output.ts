import { isClosed, type Plain, plainText, readPlain, transition } from './styled-text.ts';

/** What part of the screen a box lets through; an undefined side is open. The end is outside. */
interface Clip {
  readonly x1: number | undefined;
  readonly x2: number | undefined;
  readonly y1: number | undefined;
  readonly y2: number | undefined;
}

/** Styles a line; the index is that of the line in its text. */
type Transformer = (line: string, index: number) => string;

interface WriteOptions {
  readonly transformers: readonly Transformer[];
}

/** What Ink's renderer uses of its `Output`. */
export interface Output {
  write(x: number, y: number, text: string, options: WriteOptions): void;
  clip(clip: Clip): void;
  unclip(): void;
  get(): { readonly output: string; readonly height: number };
}

/** A character with its styles, as Ink takes a text apart. */
interface StyledCharacter {
  readonly value: string;
}

/** Ink's own `Output`, with the parts that are asked for single rows here. */
interface StockOutput extends Output {
  readonly caches: {
    getStyledChars(text: string): readonly StyledCharacter[];
    getStringWidth(text: string): number;
  };
  sliceLineToColumns(line: string, from: number, to: number): string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

type StockClass = new (size: Size) => StockOutput;

/** Makes a text of characters, as Ink does. */
type Join = (characters: readonly StyledCharacter[]) => string;

/** A text in a row of the screen. */
interface Placed {
  readonly x: number;
  readonly text: string;
}

interface Write {
  readonly type: 'write';
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly options: WriteOptions;
}

type Operation = Write | { readonly type: 'clip'; readonly clip: Clip } | { readonly type: 'unclip' };

/** Rows of some screens. Beyond that everything is made anew. */
const MAX_KEPT = 2_000;

/** Remembers what was made of a text, until there is too much of it. */
function remembered<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined && !known.has(key)) {
      value = make(key);
      if (known.size >= MAX_KEPT) known.clear();
      known.set(key, value);
    }
    return value as Value;
  };
}

function intersect(outer: Clip | undefined, inner: Clip): Clip {
  const tighter = (a: number | undefined, b: number | undefined, choose: (a: number, b: number) => number) =>
    a === undefined || b === undefined ? (a ?? b) : choose(a, b);
  return {
    x1: tighter(outer?.x1, inner.x1, Math.max),
    x2: tighter(outer?.x2, inner.x2, Math.min),
    y1: tighter(outer?.y1, inner.y1, Math.max),
    y2: tighter(outer?.y2, inner.y2, Math.min),
  };
}

function isEmpty({ x1, x2, y1, y2 }: Clip): boolean {
  return (x1 !== undefined && x2 !== undefined && x1 >= x2) || (y1 !== undefined && y2 !== undefined && y1 >= y2);
}

/** A row whose texts stand beside each other; undefined when Ink must put it together. */
function joinRow(
  width: number,
  placed: readonly Placed[],
  plainOf: (text: string) => Plain | undefined,
): string | undefined {
  let [row, column] = ['', 0];
  let last: Plain['last'] = [];
  for (const { x, text } of placed) {
    const plain = plainOf(text);
    if (plain === undefined || x < column || x + plain.widthCells > width) return undefined;
    if (plain.widthCells === 0) continue;
    if (x > column) {
      row += transition(last, []) + ' '.repeat(x - column);
      last = [];
    }
    row += transition(last, plain.first) + plain.body;
    column = x + plain.widthCells;
    last = plain.last;
  }
  return (row + transition(last, [])).trimEnd();
}

/** Between the parts of a row's key; not in any text that is drawn. */
const FIELD = '\u0000';

/** Draws rows, each once. */
class RowDrawer {
  readonly #stock: StockClass;
  #tools: StockOutput;
  readonly #plainOf = remembered(readPlain);
  readonly #styledLinesOf: (text: string) => readonly string[];
  /** The row of a key: the row's width, and of each text in it its column and itself. */
  readonly draw = remembered((key) => this.#draw(key));

  constructor(stock: StockClass, join: Join) {
    this.#stock = stock;
    this.#tools = new stock({ width: 0, height: 0 });
    this.#styledLinesOf = remembered((text) => {
      const lines: StyledCharacter[][] = [[]];
      for (const character of this.#tools.caches.getStyledChars(text)) {
        if (character.value === '\n') lines.push([]);
        else lines.at(-1)?.push(character);
      }
      return lines.map(join);
    });
  }

  /** Forgets what Ink keeps of texts without bounds: there, too, it is kept for one picture. */
  forget(): void {
    this.#tools = new this.#stock({ width: 0, height: 0 });
  }

  #draw(key: string): string {
    const [width = '0', ...fields] = key.split(FIELD);
    const placed: Placed[] = [];
    for (let index = 0; index < fields.length; index += 2) {
      placed.push({ x: Number(fields[index]), text: fields[index + 1] ?? '' });
    }
    const joined = joinRow(Number(width), placed, this.#plainOf);
    if (joined !== undefined) return joined;
    const row = new this.#stock({ width: Number(width), height: 1 });
    for (const { x, text } of placed) row.write(x, 0, text, { transformers: [] });
    return row.get().output;
  }

  /** The lines of a text as Ink puts them out: styles go on from one to the next. */
  #linesOf(text: string): readonly string[] {
    const lines = text.split('\n');
    if (lines.length > 1 && !lines.every(isClosed)) return this.#styledLinesOf(text);
    return lines.map((line) => {
      const plain = this.#plainOf(line);
      return plain === undefined ? (this.#styledLinesOf(line)[0] ?? '') : plainText(plain);
    });
  }

  #widthOf(line: string): number {
    return this.#plainOf(line)?.widthCells ?? this.#tools.caches.getStringWidth(line);
  }

  /** Adds what is seen of a text to the keys of its rows; false when it cannot be taken apart by rows. */
  place(keys: string[], { x, y, text, options }: Write, clip: Clip | undefined): boolean {
    if (clip !== undefined && isEmpty(clip)) return true;
    const { x1, x2, y1, y2 } = clip ?? {};
    const isCutAcross = x1 !== undefined && x2 !== undefined;
    const isCutDown = y1 !== undefined && y2 !== undefined;
    if (isCutAcross) {
      const widest = Math.max(...text.split('\n').map((line) => this.#widthOf(line)));
      if (x + widest < x1 || x > x2) return true;
    }
    const from = isCutAcross && x < x1 ? x1 - x : 0;
    for (const [index, line] of this.#linesOf(text).entries()) {
      const row = y + index;
      if (keys[row] === undefined || (isCutDown && (row < y1 || row >= y2))) continue;
      let shown = isCutAcross ? this.#slice(line, from, x2 - x) : line;
      for (const transformer of options.transformers) shown = transformer(shown, index);
      if (shown.includes(FIELD) || shown.includes('\n')) return false;
      if (shown !== '') keys[row] += `${FIELD}${x + from}${FIELD}${shown}`;
    }
    return true;
  }

  #slice(line: string, from: number, end: number): string {
    const width = this.#widthOf(line);
    // Of other texts Ink drops marks that stand on nothing, even when all of it is seen.
    if (from === 0 && width <= end && this.#plainOf(line) !== undefined) return line;
    return this.#tools.sliceLineToColumns(line, from, Math.min(width, end));
  }
}

/**
 * Gives the class that stands in for Ink's `Output` throughout the bundle. Its `get` takes every cell of the screen apart
 * and joins it again, for each key some 70 % of a frame, of which two rows in sixty have changed. Here a row that was drawn
 * before is remembered, one of plain texts beside each other is joined from them, and only the rest is handed to Ink, row by
 * row. What is put out is the same, byte for byte.
 */
export function leanOutput(Stock: StockClass, join: Join): new (size: Size) => Output {
  const drawer = new RowDrawer(Stock, join);

  return class LeanOutput {
    readonly width: number;
    readonly height: number;
    readonly #operations: Operation[] = [];

    constructor({ width, height }: Size) {
      this.width = width;
      this.height = height;
    }

    write(x: number, y: number, text: string, options: WriteOptions): void {
      if (text !== '') this.#operations.push({ type: 'write', x, y, text, options });
    }

    clip(clip: Clip): void {
      this.#operations.push({ type: 'clip', clip });
    }

    unclip(): void {
      this.#operations.push({ type: 'unclip' });
    }

    get(): { readonly output: string; readonly height: number } {
      drawer.forget();
      const keys = this.#placeAll();
      if (keys === undefined) return this.#getStock();
      const blank = String(this.width);
      return { output: keys.map((key) => (key === blank ? '' : drawer.draw(key))).join('\n'), height: keys.length };
    }

    #placeAll(): string[] | undefined {
      const keys = new Array<string>(this.height).fill(String(this.width));
      const clips: Clip[] = [];
      for (const operation of this.#operations) {
        if (operation.type === 'clip') clips.push(intersect(clips.at(-1), operation.clip));
        else if (operation.type === 'unclip') clips.pop();
        else if (!drawer.place(keys, operation, clips.at(-1))) return undefined;
      }
      return keys;
    }

    #getStock(): { readonly output: string; readonly height: number } {
      const stock = new Stock({ width: this.width, height: this.height });
      for (const operation of this.#operations) {
        if (operation.type === 'clip') stock.clip(operation.clip);
        else if (operation.type === 'unclip') stock.unclip();
        else stock.write(operation.x, operation.y, operation.text, operation.options);
      }
      return stock.get();
    }
  };
}
