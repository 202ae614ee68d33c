import type { AgentRoot } from '../agents/agents.ts';
import { SessionError } from '../errors.ts';
import { EntryReader } from '../session/entry-reader.ts';
import { SessionFile } from '../session/scan.ts';
import { idAt, kindAt, type Skeleton, spanAt } from '../session/skeleton.ts';
import { SkeletonBuilder } from '../session/skeleton-builder.ts';
import type { LabelledEntry } from './label-entry.ts';
import { findSessionFiles } from './session-files.ts';

const MAX_TEXT_UNITS = 2000;

function skeletonOf(file: SessionFile): Skeleton {
  const builder = new SkeletonBuilder();
  for (const record of file.records('skeleton', undefined, builder)) builder.add(record);
  return builder.finish();
}

function labelsIn(path: string): LabelledEntry[] {
  using file = new SessionFile(path);
  const skeleton = skeletonOf(file);
  const { header } = skeleton;
  const reader = new EntryReader(file, skeleton);
  return skeleton.labels.map(({ at, label, timeMs }) => {
    const { type, role } = kindAt(skeleton, at);
    return {
      path,
      id: header?.id ?? null,
      cwd: typeof header?.cwd === 'string' ? header.cwd : null,
      entryId: idAt(skeleton, at),
      line: spanAt(skeleton, at).line,
      type,
      role: role ?? null,
      label,
      labelledMs: timeMs ?? null,
      text: reader.textAt(at).slice(0, MAX_TEXT_UNITS),
    };
  });
}

/**
 * The labels of all sessions in all folders, session by session, the file that was changed last first, so that a caller can
 * pause between. What cannot be read is reported and passed over.
 */
export function* findLabels(
  roots: readonly AgentRoot[],
  onProblem: (error: SessionError) => void,
): Generator<readonly LabelledEntry[]> {
  for (const { path } of findSessionFiles(roots, onProblem)) {
    try {
      yield labelsIn(path);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      onProblem(error);
    }
  }
}
