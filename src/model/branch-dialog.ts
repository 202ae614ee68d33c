import type { FileStamp } from '../session/scan.ts';
import { neutraliseLine } from './neutralise.ts';
import type { ActionChoice, Menu, MenuItem, ResumeAnswer, ResumeChoice } from './overlays.ts';

/** Where a session is gone on with: in its own file, in a new one, or as it stands. */
export type BranchWay = 'in_place' | 'new_file' | 'as_it_is';

/** What one way of branching would do. */
export type BranchPreview =
  | { readonly kind: 'possible' /** In one line. */; readonly announcement: string }
  | { readonly kind: 'already' }
  | { readonly kind: 'refused' /** In one line. */; readonly reason: string };

/** What branching at an entry would do; nothing was changed to find out. */
export interface BranchAnswer {
  readonly inPlace: BranchPreview;
  readonly newFile: BranchPreview;
  /** Is it a message that is sent again, so that the session goes on before it? Its text. */
  readonly text: string | undefined;
  /** What stands between the session and its agent, whichever way is taken. */
  readonly resume: ResumeAnswer;
}

/** The entry that a dialog is about, fixed when it opened, in the file as it was then. */
export interface BranchPoint {
  readonly path: string;
  readonly at: number;
  readonly entryId: string;
  readonly seen: FileStamp | undefined;
  /** What the user has agreed to so far. */
  readonly choices: readonly ResumeChoice[];
}

/** What the user wants done at a point. */
export interface BranchWish extends BranchPoint {
  readonly way: BranchWay;
  /** What the model is told of the branch that is left; undefined for nothing. */
  readonly summary: string | undefined;
  /** What became of the message's text, for the user to read; undefined when there is none. */
  readonly copied: string | undefined;
}

/** What an item of a menu over the tree does. */
export type TreeChoice =
  | ActionChoice
  | { readonly kind: 'branch'; readonly way: BranchWay }
  | { readonly kind: 'summary'; readonly way: BranchWay }
  | { readonly kind: 'agree'; readonly choice: ResumeChoice }
  | { readonly kind: 'copyText' }
  | { readonly kind: 'back' };

/** The dialog that tells what branching will do, and asks. */
export interface BranchDialog extends Menu<TreeChoice> {
  readonly kind: 'dialog';
  readonly point: BranchPoint;
  readonly text: string | undefined;
}

const item = (label: string, choice: TreeChoice, key = ''): MenuItem<TreeChoice> => ({ label, key, choice });

function withSummary(way: Exclude<BranchWay, 'as_it_is'>): MenuItem<TreeChoice> {
  const label = '… with a summary of the branch that is left';
  return { ...item(label, { kind: 'summary', way }), short: '… with a summary' };
}

/** Why the agent cannot be started, and what the user can agree to; undefined when it can. */
function obstacleOf(
  answer: ResumeAnswer,
): { readonly text: string; readonly items: readonly MenuItem<TreeChoice>[] } | undefined {
  switch (answer.kind) {
    case 'ready':
      return undefined;
    case 'refused':
      return { text: `No agent is started on it: ${answer.reason}`, items: [] };
    case 'not_installed':
      return { text: `Its agent is not installed. It would be started with: ${answer.command}`, items: [] };
    case 'live':
      return { text: `An agent has it open already: ${answer.holder}`, items: [] };
    case 'folder_gone':
      return {
        text: `Its folder is gone: ${answer.cwd}`,
        items: [item('Go on in this folder', { kind: 'agree', choice: 'continue_here' })],
      };
    case 'outside':
      return {
        text: `The file is outside the agent folders, in ${answer.folder}`,
        items: [item('Start the agent all the same', { kind: 'agree', choice: 'trust_folder' })],
      };
  }
}

function tellPreview(where: string, preview: BranchPreview): string {
  switch (preview.kind) {
    case 'possible':
      return `${where}: ${preview.announcement}`;
    case 'already':
      return 'The session is already at this point.';
    case 'refused':
      return `${where}: not possible: ${preview.reason}`;
  }
}

function waysOf({ inPlace, newFile }: BranchAnswer): MenuItem<TreeChoice>[] {
  const ways: MenuItem<TreeChoice>[] = [];
  if (inPlace.kind === 'already') ways.push(item('Resume it as it is', { kind: 'branch', way: 'as_it_is' }));
  if (inPlace.kind === 'possible') {
    ways.push(
      {
        ...item('Continue here in the same file (appends one line to this file)', { kind: 'branch', way: 'in_place' }),
        short: 'Same file (appends one line)',
      },
      withSummary('in_place'),
    );
  }
  if (newFile.kind === 'possible') {
    ways.push(
      {
        ...item('Continue in a new file (writes a new file)', { kind: 'branch', way: 'new_file' }),
        short: 'New file (leaves this one alone)',
      },
      withSummary('new_file'),
    );
  }
  return ways;
}

/** Says what branching at an entry, shown as `entryText`, will do, and offers what can be done. */
export function branchDialog(point: BranchPoint, entryText: string, answer: BranchAnswer): BranchDialog {
  const { inPlace, newFile, text, resume } = answer;
  const obstacle = obstacleOf(resume);
  const isRefusedAlike = inPlace.kind === 'refused' && newFile.kind === 'refused' && inPlace.reason === newFile.reason;
  const previews = isRefusedAlike
    ? [`Not possible: ${inPlace.reason}`]
    : [tellPreview('In the same file', inPlace), tellPreview('In a new file', newFile)];
  const where =
    text === undefined
      ? 'The session goes on behind this entry.'
      : 'The session goes on before this message. Its text is copied, to be edited and sent again.';
  return {
    kind: 'dialog',
    title: 'Go on from here?',
    lines: [
      entryText,
      // First what keeps one from it: a small window has no room for all.
      ...(obstacle === undefined || isRefusedAlike ? [] : [obstacle.text]),
      ...(isRefusedAlike ? [] : [where]),
      ...previews,
    ].map(neutraliseLine),
    items: [
      ...(obstacle === undefined ? waysOf(answer) : isRefusedAlike ? [] : obstacle.items),
      item('Copy the text', { kind: 'copyText' }),
      item('Back', { kind: 'back' }, 'Esc'),
    ],
    path: point.path,
    point,
    text,
  };
}
