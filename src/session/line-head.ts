import { JsonScanner } from './json-scanner.ts';
import { isRecord } from './messages.ts';

/** What places an entry in its tree, read from the beginning of its line. Absent fields are undefined. */
export interface LineHead {
  readonly type: string;
  readonly id: string | undefined;
  readonly parentId: string | null | undefined;
  /** ISO 8601, as written. */
  readonly timestamp: string | undefined;
  /** Of a `message`: who speaks. */
  readonly role: string | undefined;
}

/** A head that is complete enough to keep a damaged line's place in the tree. */
export type PlacedHead = LineHead & { readonly id: string; readonly parentId: string | null };

/** How far into a line the fixed head of the agents' writers can reach. */
const HEAD_BYTES = 320;
const HEAD =
  /^\{"type":"([a-z_]+)","id":"([^"\\]+)","parentId":(?:null|"([^"\\]+)"),"timestamp":"([^"\\]+)"(?:,"message":\{"role":"([A-Za-z]+)")?/;
const CLOSE_BRACE = 0x7d;

function matchHead(bytes: Buffer, from = 0): PlacedHead | undefined {
  const found = HEAD.exec(bytes.toString('latin1', from, Math.min(bytes.length, from + HEAD_BYTES)));
  const [, type, id, parentId, timestamp, role] = found ?? [];
  if (type === undefined || id === undefined) return undefined;
  if (type === 'session' || type === 'title') return undefined;
  return { type, id: utf8(id), parentId: parentId === undefined ? null : utf8(parentId), timestamp, role };
}

/** Latin-1 finds bytes fast, but an id may hold more. */
function utf8(latin1: string): string {
  return /[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;
}

/**
 * The head of a line that has the shape that every agent writes and looks whole, without reading the rest; undefined when
 * it must be parsed. What lies between head and last brace is not verified.
 */
export function glanceAtLine(bytes: Buffer): PlacedHead | undefined {
  let last = bytes.length - 1;
  while (last > 0 && (bytes[last] ?? 0) <= 0x20) last--;
  if (bytes[last] !== CLOSE_BRACE) return undefined;
  // Within one value a quote that follows `}{` would be escaped, so this is two values glued together.
  if (bytes.includes('}{"')) return undefined;
  return matchHead(bytes);
}

/** Where in a damaged line another entry begins, glued on after a torn one; -1 when nowhere. */
export function findGluedEntry(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf('{"type":"', from); at >= 0; at = bytes.indexOf('{"type":"', at + 1)) {
    if (matchHead(bytes, at) !== undefined) return at;
  }
  return -1;
}

function stringField(value: Record<string, unknown>, key: string): string | undefined {
  const field = value[key];
  return typeof field === 'string' ? field : undefined;
}

/** The head of a parsed entry. */
export function headOfValue(value: Record<string, unknown>): LineHead {
  const { parentId, message } = value;
  return {
    type: stringField(value, 'type') ?? '',
    id: stringField(value, 'id'),
    parentId: typeof parentId === 'string' || parentId === null ? parentId : undefined,
    timestamp: stringField(value, 'timestamp'),
    role: isRecord(message) ? stringField(message, 'role') : undefined,
  };
}

/** The head of a line whose rest does not parse; undefined unless type, id, parentId and timestamp can all be read. */
export function headOfDamagedLine(bytes: Buffer): PlacedHead | undefined {
  const matched = matchHead(bytes);
  if (matched !== undefined) return matched;
  const fields: Record<string, unknown> = {};
  const scanner = new JsonScanner((keyStart, keyEnd, valueStart, valueEnd) => {
    const key = bytes.toString('latin1', keyStart, keyEnd);
    if (!['type', 'id', 'parentId', 'timestamp'].includes(key)) return;
    fields[key] = JSON.parse(bytes.toString('utf8', valueStart, valueEnd));
  });
  scanner.feed(bytes);
  const head = headOfValue(fields);
  const { id, parentId } = head;
  if (head.type === '' || id === undefined || parentId === undefined || head.timestamp === undefined) return undefined;
  return head.type === 'session' ? undefined : { ...head, id, parentId };
}
