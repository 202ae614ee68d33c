import { type ChangeOptions, makeChange, sessionToChange, withDoubt } from './change.ts';
import type { ChangeTarget } from './changing-session.ts';
import type { JournaledChange } from './journal.ts';

/** What became of a label. */
export interface LabelOutcome {
  readonly path: string;
  readonly entryId: string;
  /** As it stands now; null without one. */
  readonly label: string | null;
  readonly formerLabel: string | null;
  /** undefined when it was so already, and nothing was written. */
  readonly journaled: JournaledChange | undefined;
  /** What was done, in one line; neutralise it before it is drawn. */
  readonly said: string;
}

/** A label is one line of text, as titles are. */
function cleaned(label: string | undefined): string | null {
  const text = (label ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  return text === '' ? null : text;
}

function describe(entryId: string, label: string | null, former: string | null): string {
  const quoted = JSON.stringify(label ?? former);
  if (label === former) return label === null ? `${entryId} has no label` : `${entryId} is labelled ${quoted} already`;
  if (label === null) return `took the label ${quoted} off ${entryId}`;
  return `labelled ${entryId} ${quoted}${former === null ? '' : `, before ${JSON.stringify(former)}`}`;
}

/**
 * Labels an entry (an id or `#LINE`), changes its label, or clears it when `label` is undefined or blank. The new line hangs
 * from the file's last entry, so that an agent goes on where it would have (family 3.6).
 * @throws SessionError `entry_not_found`, `not_a_session`, `refused`, `live`, `changed_on_disk`, `no_permission`, `disk_full`
 */
export async function setLabel(
  target: ChangeTarget,
  entry: string,
  label: string | undefined,
  options: ChangeOptions,
): Promise<LabelOutcome> {
  using session = sessionToChange(target, options);
  const { path, dialect, sessionId } = session;
  const at = session.positionOf(entry);
  const entryId = session.idOf(at);
  const text = cleaned(label);
  const former = session.skeleton.labels.find((placed) => placed.at === at)?.label ?? null;
  const said = describe(entryId, text, former);
  const outcome = { path, entryId, label: text, formerLabel: former };
  if (text === former) return { ...outcome, journaled: undefined, said };
  const parentId = session.anchorIdOf(session.leaf);
  // A clearing has no `label` at all: that is the form that all dialects read (family 3.2).
  const fields = { type: 'label', targetId: entryId, ...(text === null ? {} : { label: text }) };
  const { journaled, doubt } = await makeChange(
    session,
    { parentId, fields },
    (line) => ({
      kind: 'label',
      path,
      agent: dialect.name,
      sessionId,
      entryId,
      label: text,
      formerLabel: former,
      line,
    }),
    options,
  );
  return { ...outcome, journaled, said: withDoubt(said, doubt) };
}
