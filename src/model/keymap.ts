import { type ActionName, bindings } from './bindings.ts';
import { type Binding, everywhere, type Mode } from './key-modes.ts';
import { type KeyPress, keyLabel } from './key-names.ts';
import { isLineAction } from './line-edit.ts';

export { type ActionName, type ActionOf, bindings } from './bindings.ts';
export type { HistoryMode, Mode, PickerMode, TreeMode } from './key-modes.ts';

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
export type HelpScreen = 'picker' | 'history' | 'tree';

/** Help, grouped: the heading of a group, and its keys with what they do. Rows of one action are one line. Without a screen, everything. */
export function helpGroups(screen?: HelpScreen): readonly {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}[] {
  const isOwn = (row: TableRow): boolean => !isEditing(row) && !isEverywhere(row);
  const groups: [string, Mode, HelpScreen | undefined, (row: TableRow) => boolean][] = [
    ['List', 'picker', 'picker', isOwn],
    ['Prompt history', 'history', 'history', isOwn],
    ['Tree', 'tree', 'tree', isOwn],
    ['Comparison and context', 'treePanel', 'tree', (row) => isOwn(row) && !row.modes.includes('tree')],
    ['Labels', 'labels', screen === 'tree' ? 'tree' : 'picker', (row) => isOwn(row) && !row.modes.includes('tree')],
    ['Label or summary', 'field', 'tree', (row) => !isEverywhere(row) && !row.modes.includes('tree')],
    ['Search line', screen === 'tree' ? 'tree' : 'picker', undefined, isEditing],
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

function isEditing(row: TableRow): boolean {
  return isLineAction(row.does);
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
