import type { DatabaseSync } from 'node:sqlite';
import { recentPrompts } from '../session/history-query.ts';
import { matchingRows, newestRowsIn, rowsOfPrompts } from '../session/history-rows.ts';
import { type HistoryHit, searchPrompts, substringHits } from '../session/history-substrings.ts';
import type { HistoryDatabases, OpenHistory } from './databases.ts';
import { PromptGroups } from './prompt-groups.ts';
import type { PromptNews } from './prompt-history.ts';

/** Rows asked of a database at first, and when too many of them are the same prompt. */
const ROWS = 300;
const MOST_ROWS = 1_000;
/** Different prompts that are worth a list. */
const ENOUGH_PROMPTS = 100;

type Rows = readonly Pick<HistoryHit, 'id' | 'prompt' | 'created_at' | 'cwd'>[];

interface Search {
  readonly query: string;
  /** Sent in one of these; undefined for anywhere. */
  readonly folders: readonly string[] | undefined;
}

/** Only letters and digits: then what begins a word also stands in the text, and no index of words finds more. */
const PLAIN_WORDS = /^[\p{L}\p{N}\s]+$/u;

/** The newest `limit` rows that a search finds in a database, in steps. */
function stepsOf(
  db: DatabaseSync,
  query: string,
  folders: readonly string[] | undefined,
  limit: number,
): Iterable<Rows> {
  if (query.trim() === '') return folders === undefined ? [recentPrompts(db, limit)] : newestRowsIn(db, folders, limit);
  const [cwd] = folders ?? [];
  if (cwd === undefined) return searchPrompts(db, query, { limit });
  // The index knows no folders: of a common word it would first collect every prompt that has it, in one long step.
  return PLAIN_WORDS.test(query) ? substringHits(db, query, { cwd, limit }) : searchPrompts(db, query, { cwd, limit });
}

/** The newest prompts, or the hits of a query, as many as make a list. Each step is one list of rows. */
function* newestRows(
  { db }: OpenHistory,
  query: string,
  folders: readonly string[] | undefined,
): Generator<Rows, 'all' | 'cut'> {
  for (const limit of [ROWS, MOST_ROWS]) {
    let rowCount = 0;
    const prompts = new Set<string>();
    for (const rows of stepsOf(db, query, folders, limit)) {
      rowCount += rows.length;
      for (const { prompt } of rows) prompts.add(prompt);
      yield rows;
    }
    if (rowCount < limit) return 'all';
    if (prompts.size >= ENOUGH_PROMPTS) break;
  }
  return 'cut';
}

/** A database, or one folder's part of it, on its way through a search. */
interface Course {
  readonly history: OpenHistory;
  readonly steps: Generator<Rows, 'all' | 'cut'>;
  /** Where its list ends so far, epoch seconds. */
  oldest: number;
}

/**
 * A search over all databases. Each step is a few milliseconds of work, after which the caller may stop or let others
 * work: hits at the beginning of words come first, then those inside of words, then how often each was sent. Give up the
 * generator to stop. The news are the whole list so far.
 */
export class PromptSearch {
  readonly #databases: HistoryDatabases;
  readonly #search: Search;
  readonly #groups = new PromptGroups();
  /** Older prompts than this (epoch seconds) are not all known, so none is shown; -Infinity: all are. */
  #horizon = Number.NEGATIVE_INFINITY;
  #databaseCount = 0;
  #isDone = false;

  constructor(databases: HistoryDatabases, search: Search) {
    this.#databases = databases;
    this.#search = search;
  }

  /** What is found so far. */
  news(): PromptNews {
    const all = this.#groups.list();
    const groups = all.filter(({ timeMs }) => timeMs >= this.#horizon * 1000);
    return {
      groups,
      hasMore: Number.isFinite(this.#horizon),
      isDone: this.#isDone,
      databaseCount: this.#databaseCount,
      problems: this.#databases.problems,
    };
  }

  /** Does the search, step by step. What it yields tells whether the list changed. */
  *steps(): Generator<'news' | 'nothing', void, undefined> {
    const histories = new Set<OpenHistory>();
    let courses: Course[] = [];
    for (const history of this.#databases.open()) {
      this.#databaseCount++;
      histories.add(history);
      for (const folders of this.#folderSets()) {
        const course = { history, steps: newestRows(history, this.#search.query, folders), oldest: Infinity };
        if (this.#advance(course, histories) !== undefined) courses.push(course);
        yield 'nothing';
      }
      yield 'news';
    }
    while (courses.length > 0) {
      const left: Course[] = [];
      for (const course of courses) {
        const found = this.#advance(course, histories);
        if (found !== undefined) left.push(course);
        yield found === 'rows' ? 'news' : 'nothing';
      }
      courses = left;
    }
    yield* this.#count(histories);
    this.#isDone = true;
    yield 'news';
  }

  /** Folders that are looked through together. */
  #folderSets(): readonly (readonly string[] | undefined)[] {
    const { query, folders } = this.#search;
    return folders === undefined || query.trim() === '' ? [folders] : folders.map((folder) => [folder]);
  }

  /** One step of a course; undefined at its end. A database that fails is left out from here on. */
  #advance(course: Course, histories: Set<OpenHistory>): 'rows' | 'none' | undefined {
    const { history } = course;
    if (!histories.has(history)) return undefined;
    try {
      const { done, value } = course.steps.next();
      if (done === true) {
        if (value === 'cut') this.#horizon = Math.max(this.#horizon, course.oldest);
        return undefined;
      }
      this.#groups.add(history.source.name, value);
      // Each tier is newest first, and only the last one can be cut.
      course.oldest = value.at(-1)?.created_at ?? course.oldest;
      return value.length > 0 ? 'rows' : 'none';
    } catch (error) {
      this.#databases.fail(history, error);
      histories.delete(history);
      return undefined;
    }
  }

  *#count(histories: Set<OpenHistory>): Generator<'nothing'> {
    const prompts = this.news().groups.map(({ prompt }) => prompt);
    if (prompts.length === 0) return;
    for (const history of histories) {
      try {
        for (const rows of rowsOfPrompts(history.db, prompts, { folders: this.#search.folders })) {
          this.#groups.add(history.source.name, rows);
          yield 'nothing';
        }
      } catch (error) {
        this.#databases.fail(history, error);
      }
    }
  }
}

/** Every prompt that a search finds, counted exactly; slow over millions, and for commands alone. */
export function findPrompts(databases: HistoryDatabases, { query, folders }: Search): PromptGroups {
  const groups = new PromptGroups();
  for (const history of databases.open()) {
    try {
      for (const rows of matchingRows(history.db, query, { folders })) groups.add(history.source.name, rows);
    } catch (error) {
      databases.fail(history, error);
    }
  }
  return groups;
}

/** Every row that holds exactly this prompt. */
export function* rowsOfPrompt(databases: HistoryDatabases, prompt: string): Generator<undefined, PromptGroups> {
  const groups = new PromptGroups();
  for (const history of databases.open()) {
    try {
      for (const rows of rowsOfPrompts(history.db, [prompt])) {
        groups.add(history.source.name, rows);
        yield;
      }
    } catch (error) {
      databases.fail(history, error);
    }
  }
  return groups;
}
