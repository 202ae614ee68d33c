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
  return new Promise((resolve, reject) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** A message for the person, on stderr: stdout carries data alone. */
export function tell(text: string): void {
  process.stderr.write(`bough: ${text}\n`);
}
