/** Where keys go. */
export type Mode = PickerMode | HistoryMode | TreeMode;

/** Where keys go in the list of sessions: the list, or what lies over it. */
export type PickerMode = 'picker' | 'transcript' | 'help' | 'menu' | 'dialog' | 'labels';

/** Where keys go in the tree: its rows, a comparison or context that lies over them, or a line of text that is asked for. */
export type TreeMode = 'tree' | 'treePanel' | 'field' | 'labels';

/** Where keys go in the prompt history: its list, or the session in which a prompt was sent. */
export type HistoryMode = 'history' | 'historyTranscript';

/** One row of the table of keys. */
export interface Binding {
  readonly modes: readonly Mode[];
  readonly keys: readonly string[];
  /** Only while the search line is empty; otherwise the key is text. */
  readonly onEmptyLine?: true;
  readonly does: string;
  /** One line for help, menu and README. */
  readonly help: string;
  /** Its word in the status bar, for a key that is shown there. */
  readonly bar?: string;
  /** Is it offered in the menu of actions? */
  readonly menu?: true;
  /** Does it act on the selected session? Without one it is hidden from the bar, and a notice says why when it is pressed. */
  readonly when?: 'hasSelection';
}

/** The modes of what works everywhere. */
export const everywhere = [
  'picker',
  'transcript',
  'help',
  'menu',
  'dialog',
  'history',
  'historyTranscript',
  'tree',
  'treePanel',
  'field',
  'labels',
] as const;
