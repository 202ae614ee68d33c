import { readFileSync } from 'node:fs';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const QUIET_MS = 250;
const IDLE_MS = 2_000;
const IDLE_TICKS = 3;
const PATIENCE_MS = 60_000;

/** What one key brought: how long until its first byte, and everything sent until the program was quiet again. */
interface Answer {
  readonly firstMs: number;
  readonly output: string;
}

/** A Node program in a real terminal, with an emulator behind it that knows what the screen shows. */
export class BenchTerminal implements Disposable {
  readonly pid: number;
  readonly #pty: IPty;
  readonly #emulator: xterm.Terminal;
  #output = '';
  #firstAt = 0;
  #lastAt = performance.now();
  #isOver = false;

  constructor(args: readonly string[], home: string, size: { readonly cols: number; readonly rows: number }) {
    const { CI: _ci, NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env;
    this.#emulator = new xterm.Terminal({ ...size, allowProposedApi: true });
    this.#pty = spawn(process.execPath, [...args], { ...size, name: 'xterm-256color', env: { ...env, HOME: home } });
    this.pid = this.#pty.pid;
    this.#pty.onData((data) => {
      this.#lastAt = performance.now();
      if (this.#firstAt === 0) this.#firstAt = this.#lastAt;
      this.#output += data;
    });
    this.#pty.onExit(() => {
      this.#isOver = true;
    });
  }

  /** Waits until the program has shown something that fits, and then sent nothing for a while. */
  async rest(wanted: RegExp, quietMs = QUIET_MS): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!wanted.test(this.#output) || performance.now() - this.#lastAt < quietMs) {
      if (this.#isOver || performance.now() > end)
        throw new Error(`never saw ${wanted} in ${this.#output.slice(-2000)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await this.draw(this.#output);
    this.#output = '';
  }

  /** Waits until no thread of the program has done anything worth mentioning for a while. Linux alone can tell. */
  async idle(): Promise<void> {
    for (let [ticks, last] = [this.#ticks(), -IDLE_TICKS]; ticks - last >= IDLE_TICKS; ) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      [ticks, last] = [this.#ticks(), ticks];
    }
    await this.draw(this.#output);
    this.#output = '';
  }

  /** Time that all threads of the program have worked, in hundredths of a second. */
  #ticks(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  }

  /** Sends a key; what came of it is not on the emulator's screen yet. */
  async press(key: string): Promise<Answer> {
    this.#output = '';
    this.#firstAt = 0;
    const start = performance.now();
    this.#pty.write(key);
    while (this.#firstAt === 0 || performance.now() - this.#lastAt < QUIET_MS) {
      if (this.#isOver || performance.now() - start > PATIENCE_MS) throw new Error('a key went unanswered');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const output = this.#output;
    this.#output = '';
    return { firstMs: this.#firstAt - start, output };
  }

  /** Shows output on the emulator. */
  draw(output: string): Promise<void> {
    return new Promise((resolve) => this.#emulator.write(output, resolve));
  }

  /** Every line of the screen as the bytes that draw it: its texts with their styles, trailing blanks left out. */
  lines(): string[] {
    const { active } = this.#emulator.buffer;
    return Array.from({ length: this.#emulator.rows }, (_, y) => drawLine(active.getLine(active.baseY + y)));
  }

  [Symbol.dispose](): void {
    if (!this.#isOver) this.#pty.kill('SIGKILL');
    this.#emulator.dispose();
  }
}

/** Blanks at the end are left out, but for those that one sees. */
function drawLine(line: xterm.IBufferLine | undefined): string {
  let [text, style, end] = ['', '', 0];
  for (let x = 0; line !== undefined && x < line.length; x++) {
    const cell = line.getCell(x);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const next = styleOf(cell);
    const characters = cell.getChars() || ' ';
    if (next !== style) text += `\u001b[0${next}m`;
    text += characters;
    style = next;
    if (characters !== ' ' || cell.isInverse() || cell.isUnderline() || !cell.isBgDefault()) end = text.length;
  }
  const seen = text.slice(0, end);
  return seen.includes('\u001b') ? `${seen}\u001b[0m` : seen;
}

function styleOf(cell: xterm.IBufferCell): string {
  const flags = [cell.isBold(), cell.isDim(), cell.isItalic(), cell.isUnderline(), 0, 0, cell.isInverse()];
  const codes = flags.flatMap((isOn, index) => (isOn ? [`;${index + 1}`] : []));
  if (cell.isFgPalette()) codes.push(cell.getFgColor() < 8 ? `;3${cell.getFgColor()}` : `;38;5;${cell.getFgColor()}`);
  return codes.join('');
}

/**
 * What a program that knows both pictures would send to turn one into the other: for every changed line a move to the
 * first changed character, what follows it there, and an erasure of the rest.
 */
export function handWrittenDiff(before: readonly string[], after: readonly string[]): string {
  let diff = '';
  for (const [y, line] of after.entries()) {
    const old = before[y] ?? '';
    if (line === old) continue;
    const [cells, oldCells] = [cellsOf(line), cellsOf(old)];
    let same = 0;
    while (
      same < cells.length &&
      cells[same]?.text === oldCells[same]?.text &&
      cells[same]?.style === oldCells[same]?.style
    )
      same++;
    let style = '';
    let rest = '';
    for (const cell of cells.slice(same)) {
      if (cell.style !== style) rest += cell.style || '\u001b[0m';
      style = cell.style;
      rest += cell.text;
    }
    const end = style === '' ? '' : '\u001b[0m';
    diff += `\u001b[${y + 1};${same + 1}H${rest}${end}${cells.length < oldCells.length ? '\u001b[K' : ''}`;
  }
  return diff;
}

function cellsOf(line: string): { readonly text: string; readonly style: string }[] {
  let style = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are what is looked for
  return (line.match(/\u001b\[[0-9;]*m|./gu) ?? []).flatMap((text) => {
    if (!text.startsWith('\u001b')) return [{ text, style }];
    style = text === '\u001b[0m' ? '' : text;
    return [];
  });
}
