import { type ErrorCode, SessionError } from '../errors.ts';
import type { Comparison } from '../session/branch-figures.ts';
import type { EntryLine } from '../session/entry-line.ts';
import type { FileStamp } from '../session/scan.ts';
import type { Skeleton } from '../session/skeleton.ts';
import type { Transcript } from '../session/transcript.ts';
import type { CatalogChanges, LabelsFound, RowBatch, TextHits } from './catalog.ts';
import type { TextSearch } from './text-search-service.ts';
import type { ContextView } from './tree-session.ts';

/** A question about an open tree, without what says which tree it is. */
export type TreeQuestion =
  | { readonly type: 'treeLines'; readonly ats: readonly number[]; readonly words: readonly string[] }
  | { readonly type: 'treePath'; readonly at: number; readonly limit: number }
  | { readonly type: 'treeText'; readonly at: number }
  | { readonly type: 'treeContext'; readonly at: number }
  | { readonly type: 'treeCompare'; readonly a: number; readonly b: number }
  | { readonly type: 'treeSearch'; readonly words: readonly string[]; readonly within: Int32Array | undefined };

/** What is asked of trees. `tree` is the number of the request that opened it, `version` that of its skeleton. */
export type TreeRequest =
  | { readonly type: 'openTree'; readonly seq: number; readonly path: string }
  | { readonly type: 'treeCheck'; readonly tree: number }
  | { readonly type: 'closeTree'; readonly tree: number }
  | { readonly type: 'cancelTree'; readonly seq: number }
  | (TreeQuestion & { readonly seq: number; readonly tree: number; readonly version: number });

/** What the drawing thread asks of the worker. `seq` ties answers to it. */
export type Request =
  | TreeRequest
  | { readonly type: 'list'; readonly seq: number }
  | {
      readonly type: 'transcript';
      readonly seq: number;
      readonly path: string;
      readonly limit: number;
      readonly entryId: string | undefined;
    }
  | { readonly type: 'watch'; readonly seq: number }
  | { readonly type: 'searchTexts'; readonly seq: number; readonly search: TextSearch }
  | { readonly type: 'labels'; readonly seq: number }
  | { readonly type: 'stopLabels'; readonly seq: number };

/** What the worker answers: any number of batches, then `listed`; one transcript; news and answers of trees; or a failure. */
export type Reply =
  | { readonly type: 'batch'; readonly seq: number; readonly batch: RowBatch }
  | { readonly type: 'listed'; readonly seq: number }
  | { readonly type: 'changes'; readonly seq: number; readonly changes: CatalogChanges }
  | { readonly type: 'textHits'; readonly seq: number; readonly found: TextHits }
  | { readonly type: 'labels'; readonly seq: number; readonly found: LabelsFound }
  | { readonly type: 'transcript'; readonly seq: number; readonly transcript: Transcript }
  | {
      readonly type: 'tree';
      readonly seq: number;
      readonly version: number;
      readonly skeleton: Skeleton;
      readonly stamp: FileStamp | undefined;
    }
  | { readonly type: 'treeVerified'; readonly seq: number; readonly version: number }
  /** The file of an open tree could not be read again. */
  | { readonly type: 'treeFailed'; readonly seq: number; readonly failure: Failure }
  | { readonly type: 'treeHits'; readonly seq: number; readonly hits: Int32Array; readonly isDone: boolean }
  | {
      readonly type: 'treeAnswer';
      readonly seq: number;
      /** undefined: the skeleton that the question is about is not the current one any more. */
      readonly answer: readonly EntryLine[] | Transcript | string | ContextView | Comparison | undefined;
    }
  | { readonly type: 'failed'; readonly seq: number; readonly failure: Failure };

/** An error that crosses threads: a `SessionError`'s own fields, or a bug's stack. */
export interface Failure {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly stack: string | undefined;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof SessionError) {
    const { code, message, path, hint } = error;
    return { code, message, path, hint, stack: undefined };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: undefined, message: String(error), path: undefined, hint: undefined, stack };
}

export function errorOf({ code, message, path, hint, stack }: Failure): Error {
  if (code === undefined) return Object.assign(new Error(message), stack === undefined ? {} : { stack });
  return new SessionError(code, message, {
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
  });
}
