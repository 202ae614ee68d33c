import { createHash } from 'node:crypto';

const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** Everything in the demo happened before this; copying shifts it to minutes before now. */
const NEWEST_MS = Date.parse('2026-03-02T16:42:00.000Z');

const MINUTE_MS = 60_000;
const TURN_MS = 95_000;
const STEP_MS = 9_000;

/** Writes one session, entry by entry, the way an agent does: each new entry hangs below the leaf and becomes it. */
export class SessionBuilder {
  #lines = [];
  #count = 0;
  #contextTokens = 9_000;
  /** What the user typed, as the agent's prompt history keeps it. */
  prompts = [];
  /** The id of the entry that the next one hangs below. */
  leaf = null;

  /** `minutesAgo`: when it began, before the demo's newest moment. */
  constructor({ agent = 'xcsh', project, id, minutesAgo, model = 'anthropic/claude-opus-4-5', ...header }) {
    this.agent = agent;
    this.project = project;
    this.id = id;
    this.model = model;
    this.timeMs = NEWEST_MS - minutesAgo * MINUTE_MS;
    const startedAt = new Date(this.timeMs).toISOString();
    this.fileName = `${startedAt.replace(/[:.]/g, '-')}_${id}.jsonl`;
    if (agent === 'omp') this.#addTitleSlot(header.title, startedAt);
    const { title, ...rest } = header;
    this.line({
      type: 'session',
      version: 3,
      id,
      timestamp: startedAt,
      cwd: this.cwd,
      ...(agent === 'omp' || title === undefined ? {} : { title, titleSource: 'auto' }),
      ...rest,
    });
  }

  get cwd() {
    return `/demo/projects/${this.project}`;
  }

  get folder() {
    return `--demo-projects-${this.project}--`;
  }

  /** Where it stands in its agent folder. */
  get relativePath() {
    return `${this.agent}/sessions/${this.folder}/${this.fileName}`;
  }

  /** Where its agent would say that it is. */
  get path() {
    return `/demo/home/.${this.agent}/agent/sessions/${this.folder}/${this.fileName}`;
  }

  get text() {
    return this.#lines.join('');
  }

  /** A line as it is: a value as JSON, a text unchanged, with whatever is wrong with it. */
  line(content) {
    this.#lines.push(`${typeof content === 'string' ? content : JSON.stringify(content)}\n`);
  }

  /** An entry below the leaf, or below `parentId`; gives its id. */
  add(type, fields, { parentId = this.leaf, afterMs = 400 } = {}) {
    this.#count += 1;
    this.timeMs += afterMs;
    const id = createHash('sha256').update(`${this.id} ${this.#count}`).digest('hex').slice(0, 8);
    this.line({ type, id, parentId, timestamp: new Date(this.timeMs).toISOString(), ...fields });
    this.leaf = id;
    return id;
  }

  user(content, afterMs = TURN_MS) {
    const message = { role: 'user', content, timestamp: this.timeMs + afterMs };
    const prompt = typeof content === 'string' ? content : content[0].text;
    this.prompts.push({ timestamp: new Date(message.timestamp).toISOString(), cwd: this.cwd, prompt });
    return this.add('message', { message }, { afterMs });
  }

  /** An answer without tools. */
  say(text, { thinking, ...how } = {}) {
    const thoughts = thinking === undefined ? [] : [{ type: 'thinking', thinking }];
    const words = text === '' ? [] : [{ type: 'text', text }];
    return this.#assistant([...thoughts, ...words], { stopReason: 'stop', ...how });
  }

  /** A tool call with its result. */
  tool(name, args, result, { thinking, text, isError = false } = {}) {
    const callId = `call_${createHash('sha256').update(`${this.id} ${this.#count}`).digest('hex').slice(0, 12)}`;
    const thoughts = thinking === undefined ? [] : [{ type: 'thinking', thinking }];
    const words = text === undefined ? [] : [{ type: 'text', text }];
    this.#assistant([...thoughts, ...words, { type: 'toolCall', id: callId, name, arguments: args }], {
      stopReason: 'toolUse',
    });
    if (result === undefined) return this.leaf;
    const content = typeof result === 'string' ? [{ type: 'text', text: result }] : result;
    this.#contextTokens += Math.ceil(JSON.stringify(content).length / 3);
    const message = { role: 'toolResult', toolCallId: callId, toolName: name, content, isError };
    return this.add('message', { message: { ...message, timestamp: this.timeMs + STEP_MS } }, { afterMs: STEP_MS });
  }

  label(targetId, label) {
    return this.add('label', { targetId, label });
  }

  /** Goes back to an earlier entry with a summary of what is left behind. */
  branchTo(targetId, summary) {
    this.add('branch_summary', { fromId: this.leaf ?? 'root', summary }, { parentId: targetId, afterMs: TURN_MS });
  }

  compact(summary, shortSummary, firstKeptEntryId) {
    const tokensBefore = this.#contextTokens;
    this.#contextTokens = 7_500;
    return this.add('compaction', { summary, shortSummary, firstKeptEntryId, tokensBefore }, { afterMs: 21_000 });
  }

  #assistant(content, { stopReason, errorMessage }) {
    const [provider, ...name] = this.model.split('/');
    const output = Math.ceil(JSON.stringify(content).length / 3.2);
    const usage = { input: 12, output, cacheRead: this.#contextTokens, cacheWrite: 640 };
    this.#contextTokens += output + usage.cacheWrite;
    const cost = Object.fromEntries(
      Object.entries(PRICES).map(([kind, price]) => [kind, Number(((usage[kind] * price) / 1e6).toFixed(6))]),
    );
    const total = Number(
      Object.values(cost)
        .reduce((sum, part) => sum + part, 0)
        .toFixed(6),
    );
    const afterMs = STEP_MS + output * 18;
    const message = { role: 'assistant', content, provider, model: name.join('/') };
    const end = { usage: { ...usage, cost: { ...cost, total } }, stopReason, timestamp: this.timeMs + afterMs };
    return this.add(
      'message',
      { message: { ...message, ...end, ...(errorMessage === undefined ? {} : { errorMessage }) } },
      { afterMs },
    );
  }

  // As omp writes it: 256 bytes with the line's end, so that a new title fits in place.
  #addTitleSlot(title, updatedAt) {
    const slot = { type: 'title', v: 1, title, source: 'auto', updatedAt, pad: '' };
    this.line({ ...slot, pad: ' '.repeat(255 - Buffer.byteLength(JSON.stringify(slot))) });
  }
}
