import { type KeyPress, keyLabel } from './key-names.ts';

/** Where keys go: the list with its search line, or what lies over it. */
export type Mode = 'picker' | 'transcript' | 'help' | 'menu' | 'dialog' | HistoryMode;

/** Where keys go in the prompt history: its list, or the session in which a prompt was sent. */
export type HistoryMode = 'history' | 'historyTranscript';

interface Binding {
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

const everywhere = ['picker', 'transcript', 'help', 'menu', 'dialog', 'history', 'historyTranscript'] as const;

/** THE table of keys: dispatch, status bar, help, menu and README all come from it. */
export const bindings = [
  { modes: ['picker'], keys: ['up'], does: 'previous', help: 'Previous session' },
  { modes: ['picker'], keys: ['down'], does: 'next', help: 'Next session' },
  { modes: ['picker', 'history'], keys: ['pageup'], does: 'pageUp', help: 'One page up' },
  { modes: ['picker', 'history'], keys: ['pagedown'], does: 'pageDown', help: 'One page down' },
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
  { modes: ['picker', 'history'], keys: ['shift+up'], does: 'previewUp', help: 'Scroll the preview up' },
  { modes: ['picker', 'history'], keys: ['shift+down'], does: 'previewDown', help: 'Scroll the preview down' },

  { modes: ['transcript', 'help', 'historyTranscript'], keys: ['up', 'k'], does: 'scrollUp', help: 'One line up' },
  {
    modes: ['transcript', 'help', 'historyTranscript'],
    keys: ['down', 'j'],
    does: 'scrollDown',
    help: 'One line down',
    bar: 'scroll',
  },
  {
    modes: ['transcript', 'help', 'historyTranscript'],
    keys: ['pageup', 'b'],
    does: 'scrollPageUp',
    help: 'One page up',
  },
  {
    modes: ['transcript', 'help', 'historyTranscript'],
    keys: ['pagedown', ' '],
    does: 'scrollPageDown',
    help: 'One page down',
  },
  { modes: ['transcript', 'help', 'historyTranscript'], keys: ['home', 'g'], does: 'scrollTop', help: 'To the start' },
  { modes: ['transcript', 'help', 'historyTranscript'], keys: ['end', 'G'], does: 'scrollBottom', help: 'To the end' },
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

  { modes: ['picker', 'history'], keys: ['left', 'ctrl+b'], does: 'left', help: 'One character left' },
  { modes: ['picker', 'history'], keys: ['right', 'ctrl+f'], does: 'right', help: 'One character right' },
  { modes: ['picker', 'history'], keys: ['alt+b', 'ctrl+left', 'alt+left'], does: 'wordLeft', help: 'One word left' },
  {
    modes: ['picker', 'history'],
    keys: ['alt+f', 'ctrl+right', 'alt+right'],
    does: 'wordRight',
    help: 'One word right',
  },
  { modes: ['picker', 'history'], keys: ['ctrl+a'], does: 'lineStart', help: 'To the start of the line' },
  { modes: ['picker', 'history'], keys: ['ctrl+e'], does: 'lineEnd', help: 'To the end of the line' },
  { modes: ['picker', 'history'], keys: ['backspace'], does: 'deleteLeft', help: 'Delete the character before' },
  {
    modes: ['picker', 'history'],
    keys: ['delete'],
    does: 'deleteRight',
    help: 'Delete the character under the cursor',
  },
  {
    modes: ['picker', 'history'],
    keys: ['ctrl+w', 'alt+backspace'],
    does: 'deleteWordLeft',
    help: 'Delete the word before',
  },
  { modes: ['picker', 'history'], keys: ['alt+d'], does: 'deleteWordRight', help: 'Delete the word after' },
  { modes: ['picker', 'history'], keys: ['ctrl+u'], does: 'deleteToStart', help: 'Delete to the start of the line' },
  { modes: ['picker', 'history'], keys: ['ctrl+k'], does: 'deleteToEnd', help: 'Delete to the end of the line' },

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

type TableRow = Omit<Binding, 'does'> & { readonly does: ActionName };

const table: readonly TableRow[] = bindings;

/** What a key does in a mode; undefined when it is bound to nothing there, so that it may be text. */
export function lookUp(mode: Mode, key: KeyPress, isLineEmpty: boolean): TableRow | undefined {
  return table.find(
    (row) => row.modes.includes(mode) && row.keys.includes(key.name) && (row.onEmptyLine === undefined || isLineEmpty),
  );
}

/** The rows of a mode, in the table's order. */
export function bindingsOf(mode: Mode): readonly TableRow[] {
  return table.filter((row) => row.modes.includes(mode));
}

/** What a mode's status bar offers, most useful first: `{key: 'Enter', word: 'resume'}`. */
export function barHints(
  mode: Mode,
  has: { readonly selection: boolean; readonly emptyLine: boolean },
): readonly { readonly key: string; readonly does: ActionName; readonly word: string }[] {
  return bindingsOf(mode).flatMap((row) => {
    const isAway = (row.when !== undefined && !has.selection) || (row.onEmptyLine !== undefined && !has.emptyLine);
    if (row.bar === undefined || row.keys[0] === undefined || isAway) return [];
    return [{ key: keyLabel(row.keys[0]), does: row.does, word: row.bar }];
  });
}

/** The actions that a mode's menu offers, with their keys. */
export function menuActions(
  mode: Mode,
): readonly { readonly does: ActionName; readonly label: string; readonly key: string }[] {
  return bindingsOf(mode).flatMap((row) =>
    row.menu === undefined ? [] : [{ does: row.does, label: row.help, key: keyLabel(row.keys[0] ?? '') }],
  );
}

/** Whose keys a help screen tells. */
export type HelpScreen = 'picker' | 'history';

/** Help, grouped: the heading of a group, and its keys with what they do. Rows of one action are one line. Without a screen, everything. */
export function helpGroups(screen?: HelpScreen): readonly {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}[] {
  const isOwn = (row: TableRow): boolean => !isEditing(row) && !isEverywhere(row);
  const groups: [string, Mode, HelpScreen | undefined, (row: TableRow) => boolean][] = [
    ['List', 'picker', 'picker', isOwn],
    ['Prompt history', 'history', 'history', isOwn],
    ['Search line', 'picker', undefined, isEditing],
    ['Transcript', 'transcript', 'picker', (row) => isOwn(row) && !row.modes.includes('picker')],
    ['Where a prompt was sent', 'historyTranscript', 'history', (row) => isOwn(row) && !row.modes.includes('history')],
    ['Everywhere', 'picker', undefined, isEverywhere],
  ];
  const isAsked = (of: HelpScreen | undefined): boolean => screen === undefined || of === undefined || of === screen;
  const asked = groups.filter(([, , of]) => isAsked(of));
  return asked.map(([title, mode, , isWanted]) => {
    const rows = new Map<string, string[]>();
    for (const row of bindingsOf(mode).filter(isWanted)) {
      rows.set(row.help, [...(rows.get(row.help) ?? []), ...row.keys.map(keyLabel)]);
    }
    return { title, rows: Array.from(rows, ([help, keys]) => [keys.join(', '), help] as const) };
  });
}

const EDITING: ReadonlySet<ActionName> = new Set<ActionName>([
  'left',
  'right',
  'wordLeft',
  'wordRight',
  'lineStart',
  'lineEnd',
  'deleteLeft',
  'deleteRight',
  'deleteWordLeft',
  'deleteWordRight',
  'deleteToStart',
  'deleteToEnd',
]);

function isEditing(row: TableRow): boolean {
  return EDITING.has(row.does);
}

function isEverywhere(row: TableRow): boolean {
  return row.modes === everywhere;
}

/** The table as Markdown, for the README. */
export function keysAsMarkdown(): string {
  return helpGroups()
    .map(({ title, rows }) => {
      const lines = rows.map(([keys, help]) => `| ${keys.replaceAll('|', '\\|')} | ${help} |`);
      return [`| ${title} | |`, '| --- | --- |', ...lines].join('\n');
    })
    .join('\n\n');
}
