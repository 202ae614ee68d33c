import { fieldOf, type SessionEntry } from './entries.ts';
import { entryText, type ToolCalls } from './entry-text.ts';
import { isRecord } from './messages.ts';

/** What a row of the tree says of its entry, as on disk: neutralise it before it reaches a terminal. */
export interface EntryLine {
  readonly at: number;
  /** Who speaks, such as `user: `; '' when the text tells. */
  readonly speaker: string;
  /** As much of the text as a row can hold. */
  readonly text: string;
  readonly isError: boolean;
}

/** No terminal is so wide. */
const MAX_UNITS = 600;
const MAX_ERROR_UNITS = 80;
/** How much of the text before a match is shown with it. */
const UNITS_BEFORE_MATCH = 16;

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface Parts {
  readonly speaker: string;
  readonly text: string;
  readonly isError?: boolean;
}

function partsOfMessage(entry: SessionEntry, message: Readonly<Record<string, unknown>>, calls: ToolCalls): Parts {
  const whole = entryText(entry, calls);
  switch (message['role']) {
    case 'user':
    case 'developer':
      return { speaker: `${message['role']}: `, text: whole };
    case 'assistant': {
      const isError = message['stopReason'] === 'error';
      const failure = isError ? text(message['errorMessage']).slice(0, MAX_ERROR_UNITS) : '';
      return { speaker: 'assistant: ', text: failure === '' ? whole : `(error) ${failure} ${whole}`, isError };
    }
    case 'toolResult':
      return { speaker: '', text: whole, isError: message['isError'] === true };
    case 'bashExecution':
      return { speaker: '[bash]: ', text: text(message['command']) };
    case 'pythonExecution':
      return { speaker: '[python]: ', text: text(message['code']) };
    case 'custom':
    case 'hookMessage':
      return { speaker: `[${text(message['customType'])}]: `, text: afterName(whole) };
  }
  const role = text(message['role']);
  return whole.startsWith('[') ? { speaker: '', text: whole } : { speaker: `[${role || 'message'}]: `, text: whole };
}

/** The text behind `[name] `. */
function afterName(whole: string): string {
  return whole.slice(whole.indexOf('] ') + 2);
}

function partsOf(entry: SessionEntry, calls: ToolCalls): Parts {
  const message = fieldOf(entry, 'message');
  if (entry.type === 'message' && isRecord(message)) return partsOfMessage(entry, message, calls);
  const whole = entryText(entry, calls);
  if (entry.type === 'custom_message') return { speaker: `[${entry.customType}]: `, text: afterName(whole) };
  if (entry.type === 'branch_summary' && text(entry.summary) !== '') {
    return { speaker: '[branch summary]: ', text: text(entry.summary) };
  }
  return { speaker: '', text: whole };
}

/** Where the first of some words, in lower case, stands in a text; -1 for nowhere. */
function firstMatch(lower: string, words: readonly string[]): number {
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/**
 * The line of an entry, as the agents' own trees write it (family 1.2). With `words`, a text whose beginning holds none of
 * them is shown from its first match on; `whole` gives all that was searched.
 */
export function entryLine(
  entry: SessionEntry,
  at: number,
  calls: ToolCalls,
  words: readonly string[],
  whole: () => string,
): EntryLine {
  const parts = partsOf(entry, calls);
  const line = { at, speaker: parts.speaker, text: parts.text.slice(0, MAX_UNITS), isError: parts.isError === true };
  if (words.length === 0 || firstMatch(line.text.slice(0, MAX_UNITS / 10).toLowerCase(), words) >= 0) return line;
  const searched = whole();
  const match = firstMatch(searched.toLowerCase(), words);
  if (match < 0) return line;
  const from = Math.max(0, match - UNITS_BEFORE_MATCH);
  const lead = parts.text.slice(0, 24).trimEnd();
  return { ...line, text: `${lead}… ${searched.slice(from, from + MAX_UNITS)}` };
}
