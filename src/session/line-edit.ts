import { JsonScanner } from './json-scanner.ts';

interface Pair {
  readonly key: string;
  /** Where the key's opening quote, the value, and the end of the value stand. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** The pairs of the object that some bytes are, in order; nested objects are left alone. */
function pairsOf(bytes: Buffer): Pair[] {
  const pairs: Pair[] = [];
  const scanner = new JsonScanner((keyStart, keyEnd, valueStart, end) => {
    const key = JSON.parse(bytes.toString('utf8', keyStart - 1, keyEnd + 1)) as string;
    pairs.push({ key, start: keyStart - 1, valueStart, end });
  });
  scanner.feed(bytes);
  return pairs;
}

/** The bytes of a field's value; undefined when there is none. Of equal keys the last one counts, as in `JSON.parse`. */
export function fieldBytes(bytes: Buffer, key: string): Buffer | undefined {
  const pair = pairsOf(bytes).findLast((candidate) => candidate.key === key);
  return pair && bytes.subarray(pair.valueStart, pair.end);
}

/** New values for fields: bytes are taken as JSON, anything else is turned into it, undefined removes the field. */
export type FieldEdits = Readonly<Record<string, unknown>>;

function toJson(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
}

/**
 * The bytes of a JSON object with some fields changed and everything else byte for byte as it was: numbers beyond 2^53,
 * spaces, unknown fields and their order survive. New fields come behind the field `after`, or last.
 */
export function editObject(bytes: Buffer, edits: FieldEdits, after?: string): Buffer {
  const pairs = pairsOf(bytes);
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return toJson(edits);
  const added = Object.entries(edits)
    .filter(([key, value]) => value !== undefined && !pairs.some((pair) => pair.key === key))
    .map(([key, value]) => Buffer.concat([toJson(key), Buffer.from(':'), toJson(value)]));
  const comma = Buffer.from(',');
  const items: { readonly gap: Buffer; readonly text: Buffer }[] = [];
  const addNew = (): void => {
    for (const text of added.splice(0)) items.push({ gap: comma, text });
  };
  pairs.forEach((pair, index) => {
    const isKept = !Object.hasOwn(edits, pair.key);
    if (isKept || edits[pair.key] !== undefined) {
      const gap = bytes.subarray(pairs[index - 1]?.end ?? pair.start, pair.start);
      const value = isKept ? bytes.subarray(pair.valueStart, pair.end) : toJson(edits[pair.key]);
      items.push({ gap, text: Buffer.concat([bytes.subarray(pair.start, pair.valueStart), value]) });
    }
    if (pair.key === after) addNew();
  });
  addNew();
  const body = items.flatMap(({ gap, text }, index) => (index === 0 ? [text] : [gap, text]));
  return Buffer.concat([bytes.subarray(0, first.start), ...body, bytes.subarray(last.end)]);
}
