/** C1 controls and DEL, which JSON allows raw and terminals obey. */
const RAW_CONTROLS = /[\u007f-\u009f]/g;

/** Exact data as JSON that is safe to print: C0, DEL and C1 are escaped (product page, "Safety"). */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value, undefined, 2);
  return json.replace(RAW_CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A word of a command line, quoted for a POSIX shell where it needs it. */
export function quoteForShell(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Writes data to stdout and waits until it is taken. A reader that went away ends the program quietly (`cli.tsx`). */
export function print(text: string): Promise<void> {
  return write(text.endsWith('\n') ? text : `${text}\n`);
}

function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Gathered before it is written, so that neither many small writes nor one huge text slow it down. */
const PIECE_CHARS = 256 * 1024;

/** Writes a text that may be longer than the longest string, piece by piece. */
export async function printAll(pieces: Iterable<string>): Promise<void> {
  let gathered = '';
  for (const piece of pieces) {
    gathered += piece;
    if (gathered.length < PIECE_CHARS) continue;
    await write(gathered);
    gathered = '';
  }
  await print(gathered);
}

/** The pieces of what `toJson` gives for `{...before, [key]: [...items], ...after}`, one item at a time. */
export function* jsonOfList(
  before: Readonly<Record<string, unknown>>,
  key: string,
  items: Iterable<unknown>,
  after: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  const [opening = ''] = toJson({ ...before, [key]: 0 }).split(/0\n\}$/);
  yield `${opening}[`;
  let separator = '\n    ';
  for (const item of items) {
    // Line breaks within texts are escaped: these are the layout's own.
    yield separator + toJson(item).replaceAll('\n', '\n    ');
    separator = ',\n    ';
  }
  yield separator.startsWith(',') ? '\n  ]' : ']';
  const rest = toJson(after);
  yield rest === '{}' ? '\n}' : `,${rest.slice(1)}`;
}

/** A message for the person, on stderr: stdout carries data alone. */
export function tell(text: string): void {
  process.stderr.write(`bough: ${text}\n`);
}
