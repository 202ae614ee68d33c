/** A label that stands, with the entry that bears it. Texts are as on disk: neutralise them before they are drawn. */
export interface LabelledEntry {
  /** Of the session. */
  readonly path: string;
  /** Of the session; null when the file has no header. */
  readonly id: string | null;
  readonly cwd: string | null;
  readonly entryId: string;
  readonly line: number;
  readonly type: string;
  readonly role: string | null;
  readonly label: string;
  /** When the label was set, epoch ms; null when its entry does not tell. */
  readonly labelledMs: number | null;
  /** What the entry says, at most 2,000 characters of it; '' when it is damaged. */
  readonly text: string;
}

/** Labels as they are listed: the one set last first; those without a time last. */
export function byLabelTime(a: LabelledEntry, b: LabelledEntry): number {
  return (b.labelledMs ?? Number.NEGATIVE_INFINITY) - (a.labelledMs ?? Number.NEGATIVE_INFINITY) || 0;
}
