import { setLabel } from '../actions/label.ts';
import { byLabelTime, type LabelledEntry } from '../catalog/label-entry.ts';
import { findLabels } from '../catalog/labels.ts';
import { SessionError } from '../errors.ts';
import { age } from '../model/age.ts';
import { neutraliseLine } from '../model/neutralise.ts';
import { fit, fitEnd, truncate } from '../model/text.ts';
import { print, tell, toJson } from '../output.ts';
import { changeOptions } from './changes.ts';
import { rowOfTarget } from './opened.ts';
import type { Place } from './place.ts';

export interface LabelCommandOptions {
  readonly clear: boolean;
  readonly json: boolean;
}

/** `bough label TARGET ENTRY TEXT`, or `--clear`. */
export async function runLabel(
  place: Place,
  target: string,
  entry: string,
  text: string | undefined,
  { clear, json }: LabelCommandOptions,
): Promise<void> {
  // A blank text is more often a script's unset variable than a wish to clear.
  if (clear === (text !== undefined && text.trim() !== '')) {
    const message = clear ? 'give a text or --clear, not both' : 'give the text of the label, or --clear';
    throw new SessionError('usage', message);
  }
  const row = await rowOfTarget(target, place);
  const outcome = await setLabel(row, entry, clear ? undefined : text, changeOptions(place));
  if (!json) {
    tell(neutraliseLine(outcome.said));
    return;
  }
  const { path, entryId, label, formerLabel, journaled } = outcome;
  await print(toJson({ version: 1, path, entryId, label, formerLabel, changed: journaled !== undefined }));
}

function labelJson({ path, id, cwd, entryId, line, type, role, label, labelledMs, text }: LabelledEntry): object {
  return { path, id, cwd, entryId, line, type, role, label, labelled: labelledMs, text };
}

function tableOf(labels: readonly LabelledEntry[], nowMs: number, columns: number): string {
  return labels
    .map(({ label, labelledMs, entryId, id, path, text }) => {
      const when = labelledMs === null ? '' : age(labelledMs, nowMs);
      const session = neutraliseLine(id ?? path);
      const line = `${fitEnd(when, 4)}  ${fit(neutraliseLine(label), 24)}  ${session}  ${fit(neutraliseLine(entryId), 8)}  ${neutraliseLine(text.slice(0, 200))}`;
      return truncate(line.trimEnd(), columns);
    })
    .join('\n');
}

/** `bough labels`: every label of every session, the one set last first. */
export async function runLabels(place: Place, { json }: { readonly json: boolean }): Promise<void> {
  const found = [...findLabels(place.roots, (problem) => tell(neutraliseLine(problem.message)))].flat();
  const labels = found.sort(byLabelTime);
  if (json) {
    await print(toJson({ version: 1, total: labels.length, labels: labels.map(labelJson) }));
    return;
  }
  const columns = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  if (labels.length > 0) await print(tableOf(labels, place.nowMs, columns));
  else tell('no entry of any session has a label');
}
