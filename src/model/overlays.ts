import { type ActionName, type Mode, menuActions } from './keymap.ts';
import type { LabelList } from './label-list.ts';
import { neutraliseLine } from './neutralise.ts';
import type { Loaded } from './preview.ts';

/** What the user has already agreed to when a session is resumed. */
export type ResumeChoice = 'continue_here' | 'trust_folder' | 'open_live';

/** What stands between a session and its agent, if anything. */
export type ResumeAnswer =
  | { readonly kind: 'ready' }
  /** The agent must not get this file; the reason is one sentence. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The session's folder is not there any more; `continue_here` goes on in the current one. */
  | { readonly kind: 'folder_gone'; readonly cwd: string }
  /** The file is outside the agent folders; `trust_folder` goes on. */
  | { readonly kind: 'outside'; readonly folder: string }
  /** Another process has it open; `open_live` opens it a second time. */
  | { readonly kind: 'live'; readonly holder: string }
  | { readonly kind: 'not_installed'; readonly command: string };

/** An item of the menu of all actions. */
export interface ActionChoice {
  readonly kind: 'action';
  readonly does: ActionName;
}

/** What an item of a menu does. */
type Choice =
  | ActionChoice
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'copyCommand' }
  | { readonly kind: 'transcript' }
  | { readonly kind: 'resume'; readonly choices: readonly ResumeChoice[] }
  | { readonly kind: 'back' };

/** One line of a menu. */
export interface MenuItem<C = Choice> {
  readonly label: string;
  /** The same in few words, for a small window; undefined when there is nothing to leave out. */
  readonly short?: string;
  /** Its key outside the menu; '' for none. */
  readonly key: string;
  readonly choice: C;
}

/** A menu over a screen, with what it is about. */
export interface Menu<C = Choice> {
  readonly kind: 'menu' | 'dialog';
  readonly title: string;
  /** Neutralised. */
  readonly lines: readonly string[];
  readonly items: readonly MenuItem<C>[];
  /** The session it is about, fixed when it opened. */
  readonly path: string;
}

/** A whole conversation on the whole screen. */
export interface TranscriptScreen {
  readonly kind: 'transcript';
  readonly path: string;
  readonly title: string;
  /** The entry that it was opened for; undefined for the end. */
  readonly entryId: string | undefined;
  /** What was searched for, to be marked and gone to; in lower case. */
  readonly words: readonly string[];
  /** Where one comes in: at the entry, or on the way from hit to hit, at the first or the last place of the words. */
  readonly arrival: 'entry' | 'first' | 'last';
  /** The place of the words that one went to, counted from the first; undefined after scrolling. */
  readonly place: number | undefined;
  readonly seq: number;
  readonly loaded: Loaded;
  /** The first line shown; `end` stays at the end whatever the width. */
  readonly top: number | 'end';
  readonly isFoldingTools: boolean;
  readonly isFoldingThinking: boolean;
}

/** What lies over the list. */
export type Overlay = Menu | TranscriptScreen | LabelList | { readonly kind: 'help'; readonly top: number };

/** Is it a menu, whose items are chosen with the arrows? */
export function isMenu<T extends { readonly kind: string }>(
  overlay: T | undefined,
): overlay is Extract<T, { readonly kind: 'menu' | 'dialog' }> {
  return overlay?.kind === 'menu' || overlay?.kind === 'dialog';
}

const back: MenuItem = { label: 'Back', key: 'Esc', choice: { kind: 'back' } };
const transcript: MenuItem = { label: 'Read the transcript', key: '', choice: { kind: 'transcript' } };

function copyPath(path: string): MenuItem {
  return { label: 'Copy the path', key: '', choice: { kind: 'copy', text: path } };
}

/** The menu of all actions of a screen. */
export function actionMenu(mode: Mode, path: string): Menu<ActionChoice> {
  const items = menuActions(mode).map(
    ({ does, label, key }): MenuItem<ActionChoice> => ({ label, key, choice: { kind: 'action', does } }),
  );
  return { kind: 'menu', title: 'Actions', lines: [], items, path };
}

/** What can be copied of a session. */
export function copyMenu(title: string, path: string, id: string | null): Menu {
  const items: MenuItem[] = [
    copyPath(path),
    ...(id === null ? [] : [{ label: 'Copy the id', key: '', choice: { kind: 'copy', text: id } } as const]),
    { label: 'Copy the resume command', key: '', choice: { kind: 'copyCommand' } },
    back,
  ];
  return { kind: 'menu', title: 'Copy', lines: [title], items, path };
}

/** Why a session was not resumed, and what can be done instead; undefined when nothing stands in the way. */
export function resumeDialog(
  answer: Exclude<ResumeAnswer, { kind: 'ready' }>,
  title: string,
  path: string,
  choices: readonly ResumeChoice[],
): Menu {
  const about = { kind: 'dialog', path } as const;
  const goOn = (label: string, choice: ResumeChoice): MenuItem => ({
    label,
    key: '',
    choice: { kind: 'resume', choices: [...choices, choice] },
  });
  switch (answer.kind) {
    case 'refused':
      return {
        ...about,
        title: 'Not resumed',
        lines: [title, neutraliseLine(answer.reason)],
        items: [transcript, copyPath(path), back],
      };
    case 'folder_gone':
      return {
        ...about,
        title: 'The folder is gone',
        lines: [title, neutraliseLine(answer.cwd)],
        items: [goOn('Continue in this folder', 'continue_here'), { ...transcript, label: 'Read only' }, back],
      };
    case 'outside':
      return {
        ...about,
        title: 'Start an agent on a file outside the agent folders?',
        lines: [title, neutraliseLine(answer.folder)],
        items: [{ ...transcript, label: 'Read only' }, goOn('Start the agent', 'trust_folder'), back],
      };
    case 'live':
      return {
        ...about,
        title: 'An agent has it open already',
        lines: [title, neutraliseLine(answer.holder), 'Two agents on one file overwrite each other.'],
        items: [{ ...transcript, label: 'Read only' }, goOn('Open it a second time', 'open_live'), back],
      };
    case 'not_installed':
      return {
        ...about,
        title: 'The agent is not installed',
        lines: ['It would be started with:', neutraliseLine(answer.command)],
        items: [
          { label: 'Copy the command', key: '', choice: { kind: 'copy', text: answer.command } },
          transcript,
          back,
        ],
      };
  }
}
