/** Where keys go. */
export type Mode = PickerMode | HistoryMode | TreeMode;

/** Where keys go in the list of sessions: the list, or what lies over it. */
export type PickerMode = 'picker' | 'transcript' | 'help' | 'menu' | 'dialog';

/** Where keys go in the tree: its rows, a comparison or context that lies over them, or a line of text that is asked for. */
export type TreeMode = 'tree' | 'treePanel' | 'field';

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
] as const;

/** THE table of keys: dispatch, status bar, help, menu and README all come from it. */
export const bindings = [
  { modes: ['picker'], keys: ['up'], does: 'previous', help: 'Previous session' },
  { modes: ['picker'], keys: ['down'], does: 'next', help: 'Next session' },
  { modes: ['picker', 'history', 'tree'], keys: ['pageup'], does: 'pageUp', help: 'One page up' },
  { modes: ['picker', 'history', 'tree'], keys: ['pagedown'], does: 'pageDown', help: 'One page down' },
  { modes: ['picker'], keys: ['home'], does: 'first', help: 'First session' },
  { modes: ['picker'], keys: ['end'], does: 'last', help: 'Last session' },
  {
    modes: ['picker', 'transcript'],
    keys: ['enter'],
    does: 'resume',
    help: 'Resume the session in its agent',
    bar: 'resume',
    menu: true,
    when: 'hasSelection',
  },
  {
    modes: ['picker'],
    keys: ['ctrl+o'],
    does: 'transcript',
    help: 'Whole transcript',
    bar: 'transcript',
    menu: true,
    when: 'hasSelection',
  },
  {
    modes: ['picker'],
    keys: ['ctrl+t'],
    does: 'tree',
    help: 'The session as a tree',
    bar: 'tree',
    menu: true,
    when: 'hasSelection',
  },
  {
    modes: ['picker', 'transcript'],
    keys: ['ctrl+y'],
    does: 'copy',
    help: 'Copy path, id or resume command',
    menu: true,
    when: 'hasSelection',
  },
  { modes: ['picker'], keys: ['tab'], does: 'scope', help: 'This folder or all', bar: 'scope', menu: true },
  { modes: ['picker'], keys: ['ctrl+s'], does: 'sort', help: 'Next sort order', menu: true },
  { modes: ['picker'], keys: ['ctrl+n'], does: 'named', help: 'Only named sessions, or any', menu: true },
  { modes: ['picker'], keys: ['ctrl+p'], does: 'path', help: 'Show folders, or not', menu: true },
  { modes: ['picker'], keys: ['alt+h'], does: 'hidden', help: 'Show hidden sessions, or not', menu: true },
  { modes: ['picker', 'tree'], keys: ['alt+z'], does: 'undo', help: 'Undo the last change to a session', menu: true },
  { modes: ['picker', 'history', 'tree'], keys: ['shift+up'], does: 'previewUp', help: 'Scroll the preview up' },
  { modes: ['picker', 'history', 'tree'], keys: ['shift+down'], does: 'previewDown', help: 'Scroll the preview down' },

  {
    modes: ['transcript', 'help', 'historyTranscript', 'treePanel'],
    keys: ['up', 'k'],
    does: 'scrollUp',
    help: 'One line up',
  },
  {
    modes: ['transcript', 'help', 'historyTranscript', 'treePanel'],
    keys: ['down', 'j'],
    does: 'scrollDown',
    help: 'One line down',
    bar: 'scroll',
  },
  {
    modes: ['transcript', 'help', 'historyTranscript', 'treePanel'],
    keys: ['pageup', 'b'],
    does: 'scrollPageUp',
    help: 'One page up',
  },
  {
    modes: ['transcript', 'help', 'historyTranscript', 'treePanel'],
    keys: ['pagedown', ' '],
    does: 'scrollPageDown',
    help: 'One page down',
  },
  {
    modes: ['transcript', 'help', 'historyTranscript', 'treePanel'],
    keys: ['home', 'g'],
    does: 'scrollTop',
    help: 'To the start',
  },
  {
    modes: ['transcript', 'help', 'historyTranscript', 'treePanel'],
    keys: ['end', 'G'],
    does: 'scrollBottom',
    help: 'To the end',
  },
  {
    modes: ['transcript', 'historyTranscript'],
    keys: ['t'],
    does: 'foldTools',
    help: 'Fold tool results, or not',
    bar: 'tools',
    menu: true,
  },
  {
    modes: ['transcript', 'historyTranscript'],
    keys: ['h'],
    does: 'foldThinking',
    help: 'Fold thinking, or not',
    bar: 'thinking',
    menu: true,
  },

  { modes: ['picker'], keys: ['f2'], does: 'menu', help: 'Menu of all actions', bar: 'actions' },
  { modes: ['transcript'], keys: ['f2'], does: 'menu', help: 'Menu of all actions' },
  { modes: ['picker', 'transcript'], keys: ['f1'], does: 'help', help: 'Keys and search words', menu: true },
  { modes: ['picker'], keys: ['?'], onEmptyLine: true, does: 'help', help: 'Keys and search words', bar: 'help' },
  { modes: ['transcript'], keys: ['?'], does: 'help', help: 'Keys and search words', bar: 'help' },
  { modes: ['picker'], keys: ['esc'], does: 'back', help: 'Clear the line, then leave', bar: 'leave' },
  { modes: ['transcript'], keys: ['esc', 'q'], does: 'back', help: 'Back to the list', bar: 'back' },
  { modes: ['help'], keys: ['esc', 'q', 'f1', '?'], does: 'back', help: 'Close this help', bar: 'back' },
  { modes: ['menu', 'dialog'], keys: ['esc', 'q'], does: 'back', help: 'Back', bar: 'back' },

  { modes: ['history'], keys: ['up'], does: 'previous', help: 'Previous prompt' },
  { modes: ['history'], keys: ['down'], does: 'next', help: 'Next prompt' },
  { modes: ['history'], keys: ['home'], does: 'first', help: 'First prompt' },
  { modes: ['history'], keys: ['end'], does: 'last', help: 'Last prompt' },
  {
    modes: ['history'],
    keys: ['enter'],
    does: 'print',
    help: 'Print the prompt and leave',
    bar: 'print',
    menu: true,
    when: 'hasSelection',
  },
  {
    modes: ['history', 'historyTranscript'],
    keys: ['ctrl+y'],
    does: 'copyPrompt',
    help: 'Copy the prompt',
    bar: 'copy',
    menu: true,
    when: 'hasSelection',
  },
  {
    modes: ['history'],
    keys: ['ctrl+o'],
    does: 'places',
    help: 'The session where it was sent',
    bar: 'session',
    menu: true,
    when: 'hasSelection',
  },
  { modes: ['history'], keys: ['tab'], does: 'scope', help: 'This folder or everywhere', bar: 'scope', menu: true },
  { modes: ['historyTranscript'], keys: ['n'], does: 'nextPlace', help: 'Where else it was sent', bar: 'next' },
  { modes: ['historyTranscript'], keys: ['p'], does: 'previousPlace', help: 'Back to where it was sent later' },
  { modes: ['history'], keys: ['f2'], does: 'menu', help: 'Menu of all actions', bar: 'actions' },
  { modes: ['history'], keys: ['f1'], does: 'help', help: 'Keys', menu: true },
  { modes: ['history'], keys: ['?'], onEmptyLine: true, does: 'help', help: 'Keys', bar: 'help' },
  { modes: ['historyTranscript'], keys: ['f1', '?'], does: 'help', help: 'Keys', bar: 'help' },
  { modes: ['history'], keys: ['esc'], does: 'back', help: 'Clear the line, then leave', bar: 'leave' },
  { modes: ['historyTranscript'], keys: ['esc', 'q'], does: 'back', help: 'Back to the prompts', bar: 'back' },

  {
    modes: ['tree'],
    keys: ['enter'],
    does: 'branch',
    help: 'Go on from this entry: tells first what will happen',
    bar: 'branch',
    menu: true,
    when: 'hasSelection',
  },
  {
    modes: ['tree'],
    keys: ['L'],
    onEmptyLine: true,
    does: 'label',
    help: 'Label this entry, change its label or clear it',
    bar: 'label',
    when: 'hasSelection',
  },
  {
    modes: ['tree'],
    keys: ['alt+n'],
    does: 'label',
    help: 'Label this entry, change its label or clear it',
    menu: true,
    when: 'hasSelection',
  },
  { modes: ['field'], keys: ['enter'], does: 'accept', help: 'Take the text as it is', bar: 'take it' },
  { modes: ['field'], keys: ['esc'], does: 'back', help: 'Back, and leave it as it was', bar: 'back' },
  { modes: ['tree'], keys: ['up'], does: 'previous', help: 'Previous entry' },
  { modes: ['tree'], keys: ['down'], does: 'next', help: 'Next entry' },
  { modes: ['tree'], keys: ['home'], does: 'first', help: 'First entry' },
  { modes: ['tree'], keys: ['end'], does: 'last', help: 'Last entry' },
  { modes: ['tree'], keys: ['alt+up'], does: 'previousTurn', help: 'Previous turn' },
  { modes: ['tree'], keys: ['alt+down'], does: 'nextTurn', help: 'Next turn' },
  { modes: ['tree'], keys: ['alt+k'], does: 'previousBranch', help: 'Previous branch point' },
  { modes: ['tree'], keys: ['alt+j'], does: 'nextBranch', help: 'Next branch point' },
  { modes: ['tree'], keys: ['alt+,'], does: 'previousLabel', help: 'Previous label' },
  { modes: ['tree'], keys: ['alt+.'], does: 'nextLabel', help: 'Next label' },
  { modes: ['tree'], keys: ['shift+f3'], does: 'previousHit', help: 'Previous hit' },
  { modes: ['tree'], keys: ['f3'], does: 'nextHit', help: 'Next hit, also of a search that was cleared' },
  { modes: ['tree'], keys: ['ctrl+up'], does: 'parent', help: 'To the entry before, on this path' },
  { modes: ['tree'], keys: ['ctrl+down'], does: 'child', help: 'To the entry behind, on its first branch' },
  { modes: ['tree'], keys: ['alt+g'], does: 'activeEntry', help: 'To the active entry', menu: true },
  {
    modes: ['tree'],
    keys: ['ctrl+left', 'alt+left'],
    does: 'fold',
    help: 'Fold this branch, or up to where it begins',
    bar: 'fold',
    menu: true,
  },
  {
    modes: ['tree'],
    keys: ['ctrl+right', 'alt+right'],
    does: 'unfold',
    help: 'Unfold this branch, or down to the next',
    menu: true,
  },
  { modes: ['tree'], keys: ['alt+o'], does: 'foldOthers', help: 'Fold all but the active path', menu: true },
  { modes: ['tree'], keys: ['alt+e'], does: 'unfoldAll', help: 'Unfold everything', menu: true },
  { modes: ['tree'], keys: ['ctrl+o'], does: 'nextFilter', help: 'Next filter', bar: 'filter' },
  { modes: ['tree'], keys: ['ctrl+shift+o', 'alt+i'], does: 'previousFilter', help: 'Previous filter' },
  { modes: ['tree'], keys: ['alt+d'], does: 'filterDefault', help: 'Show what was said and done', menu: true },
  { modes: ['tree'], keys: ['alt+t'], does: 'filterNoTools', help: 'Show it without tools', menu: true },
  { modes: ['tree'], keys: ['alt+u'], does: 'filterUser', help: 'Show prompts only', menu: true },
  { modes: ['tree'], keys: ['alt+l'], does: 'filterLabelled', help: 'Show labelled entries only', menu: true },
  { modes: ['tree'], keys: ['alt+a'], does: 'filterAll', help: 'Show all entries', menu: true },
  { modes: ['tree'], keys: ['alt+w'], does: 'labelTimes', help: 'Show when labels were set, or not', menu: true },
  { modes: ['tree'], keys: ['alt+m'], does: 'mark', help: 'Mark this entry, for comparing', menu: true },
  {
    modes: ['tree'],
    keys: ['alt+c'],
    does: 'compare',
    help: 'Compare with the marked entry, or the active one',
    bar: 'compare',
    menu: true,
  },
  {
    modes: ['tree'],
    keys: ['alt+x'],
    does: 'context',
    help: 'What the model would see here',
    bar: 'context',
    menu: true,
  },
  { modes: ['tree'], keys: ['ctrl+y'], does: 'copyEntry', help: 'Copy the text of this entry', menu: true },
  { modes: ['tree'], keys: ['f2'], does: 'menu', help: 'Menu of all actions', bar: 'actions' },
  { modes: ['tree', 'treePanel'], keys: ['f1'], does: 'help', help: 'Keys' },
  { modes: ['tree'], keys: ['?'], onEmptyLine: true, does: 'help', help: 'Keys', bar: 'help' },
  { modes: ['treePanel'], keys: ['?'], does: 'help', help: 'Keys', bar: 'help' },
  { modes: ['tree'], keys: ['esc'], does: 'back', help: 'Clear the line, then leave', bar: 'leave' },
  { modes: ['treePanel'], keys: ['esc', 'q'], does: 'back', help: 'Back to the tree', bar: 'back' },
  { modes: ['tree'], keys: ['alt+b'], does: 'wordLeft', help: 'One word left' },
  { modes: ['tree'], keys: ['alt+f'], does: 'wordRight', help: 'One word right' },

  { modes: ['picker', 'history', 'tree', 'field'], keys: ['left', 'ctrl+b'], does: 'left', help: 'One character left' },
  {
    modes: ['picker', 'history', 'tree', 'field'],
    keys: ['right', 'ctrl+f'],
    does: 'right',
    help: 'One character right',
  },
  {
    modes: ['picker', 'history', 'field'],
    keys: ['alt+b', 'ctrl+left', 'alt+left'],
    does: 'wordLeft',
    help: 'One word left',
  },
  {
    modes: ['picker', 'history', 'field'],
    keys: ['alt+f', 'ctrl+right', 'alt+right'],
    does: 'wordRight',
    help: 'One word right',
  },
  {
    modes: ['picker', 'history', 'tree', 'field'],
    keys: ['ctrl+a'],
    does: 'lineStart',
    help: 'To the start of the line',
  },
  { modes: ['field'], keys: ['home'], does: 'lineStart', help: 'To the start of the line' },
  { modes: ['field'], keys: ['end'], does: 'lineEnd', help: 'To the end of the line' },
  { modes: ['picker', 'history', 'tree', 'field'], keys: ['ctrl+e'], does: 'lineEnd', help: 'To the end of the line' },
  {
    modes: ['picker', 'history', 'tree', 'field'],
    keys: ['backspace'],
    does: 'deleteLeft',
    help: 'Delete the character before',
  },
  {
    modes: ['picker', 'history', 'tree', 'field'],
    keys: ['delete'],
    does: 'deleteRight',
    help: 'Delete the character under the cursor',
  },
  {
    modes: ['picker', 'history', 'tree', 'field'],
    keys: ['ctrl+w', 'alt+backspace'],
    does: 'deleteWordLeft',
    help: 'Delete the word before',
  },
  { modes: ['picker', 'history', 'field'], keys: ['alt+d'], does: 'deleteWordRight', help: 'Delete the word after' },
  {
    modes: ['picker', 'history', 'tree', 'field'],
    keys: ['ctrl+u'],
    does: 'deleteToStart',
    help: 'Delete to the start of the line',
  },
  {
    modes: ['picker', 'history', 'tree', 'field'],
    keys: ['ctrl+k'],
    does: 'deleteToEnd',
    help: 'Delete to the end of the line',
  },

  {
    modes: everywhere,
    keys: ['ctrl+l'],
    does: 'redraw',
    help: 'Draw the screen anew',
  },
  {
    modes: everywhere,
    keys: ['ctrl+z'],
    does: 'suspend',
    help: 'Suspend; fg comes back',
  },
  { modes: everywhere, keys: ['ctrl+c'], does: 'quit', help: 'Leave at once' },
] as const satisfies readonly Binding[];

/** Everything a key can do; a machine that misses one does not compile. */
export type ActionName = (typeof bindings)[number]['does'];

type DoesIn<Row, M> = Row extends { readonly modes: readonly (infer In)[]; readonly does: infer Does }
  ? M extends In
    ? Does
    : never
  : never;

/** What keys can do in some modes: what the machine of these modes must know. */
export type ActionOf<M extends Mode> = DoesIn<(typeof bindings)[number], M>;
