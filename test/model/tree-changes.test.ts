import { describe, expect, it } from 'vitest';
import type { BranchAnswer } from '../../src/model/branch-dialog.ts';
import { treeMode } from '../../src/model/tree-screen-state.ts';
import { selectedAt } from '../../src/model/tree-state.ts';
import { STAMP, TreeScreenDriver } from './tree-screen-driver.ts';
import { skeletonOf, type TestEntry } from './trees.ts';

const entries: TestEntry[] = [
  { id: 'start', parent: -1 },
  { id: 'answer', parent: 0, kind: ':assistant', label: 'good' },
  { id: 'end', parent: 1 },
];
const possible: BranchAnswer = {
  inPlace: { kind: 'possible', announcement: 'appends one line to /s/a.jsonl' },
  newFile: { kind: 'possible', announcement: 'writes a new file beside /s/a.jsonl' },
  text: undefined,
  resume: { kind: 'ready' },
};
const open = (options = {}): TreeScreenDriver => new TreeScreenDriver(entries, options);

/** The dialog for the selected entry. */
function asked(tree: TreeScreenDriver, answer: Partial<BranchAnswer> = {}): TreeScreenDriver {
  tree.press('enter');
  return tree.send({ type: 'branchPlanned', seq: tree.state.seq, answer: { ...possible, ...answer } });
}

function items(tree: TreeScreenDriver): string[] {
  const top = tree.state.overlays.at(-1);
  return top?.kind === 'dialog' ? top.items.map(({ label }) => label) : [];
}

describe('labels', () => {
  it('L asks while the line is empty and is text when it is not; Alt+N always asks', () => {
    expect(treeMode(open().press('L').state)).toBe('field');
    const tree = open().press('x', 'L');
    expect(tree.state.view.line.text).toBe('xL');
    expect(treeMode(tree.press('esc').send({ type: 'typed', text: 'a' }).press('esc', 'alt+n').state)).toBe('field');
  });

  it('the text begins with the label that stands; Enter sets it in the file that was seen', () => {
    const tree = open().press('up', 'L', 'd', 'enter');
    expect(tree.asked('setLabel')).toEqual({ type: 'setLabel', entryId: 'answer', label: 'goodd', seen: STAMP });
    expect(treeMode(tree.state)).toBe('tree');
    expect(selectedAt(tree.state.view)).toBe(1);
  });

  it('an emptied text clears, Esc leaves all as it was', () => {
    expect(open().press('up', 'L', 'ctrl+u', 'enter').asked('setLabel')?.label).toBe('');
    expect(open().press('up', 'L', 'x', 'esc').asked('setLabel')).toBeUndefined();
  });

  it('a label behind the active entry moves neither it nor the selection', () => {
    const tree = open();
    const labelled = skeletonOf([...entries, { id: 'l', parent: 2, kind: 'label' }]);
    tree.send({ type: 'treeRead', version: 2, skeleton: labelled, stamp: STAMP });
    expect(tree.state.view.model?.tip).toBe(2);
    expect(selectedAt(tree.state.view)).toBe(2);
  });
});

describe('branching', () => {
  it('the dialog stays with the entry that it opened for', () => {
    const tree = asked(open().press('home'));
    tree.send({
      type: 'treeRead',
      version: 2,
      skeleton: skeletonOf([...entries, { id: 'more', parent: 2 }]),
      stamp: STAMP,
    });
    tree.send({ type: 'chosen', index: 0 });
    expect(tree.state.exit).toMatchObject({ kind: 'branch', wish: { entryId: 'start', way: 'in_place', seen: STAMP } });
  });

  it('nothing is decided by an Enter that comes before the dialog', () => {
    const tree = open().press('enter', 'enter', 'enter');
    expect(tree.state.exit).toBeUndefined();
  });

  it('Esc takes the question back, and a late answer opens nothing', () => {
    const tree = open().press('enter');
    const { seq } = tree.state;
    tree.press('esc').send({ type: 'branchPlanned', seq, answer: possible });
    expect(tree.state.overlays).toEqual([]);
    expect(tree.state.exit).toBeUndefined();
  });

  it("a message's text is copied before the screen goes", () => {
    const tree = asked(open(), { text: 'end' }).send({ type: 'chosen', index: 2 });
    expect(tree.asked('copyFirst')?.text).toBe('end');
    expect(tree.state.exit).toBeUndefined();
    tree.press('up', 'enter', 'x').send({ type: 'copied', said: 'Copied' });
    expect(tree.state.exit).toMatchObject({ wish: { way: 'new_file', copied: 'Copied' } });
  });

  it('a summary is asked for; Esc goes back to the dialog', () => {
    const tree = asked(open()).send({ type: 'chosen', index: 1 }).press('n', 'o', 'esc');
    expect(items(tree)).toContain('Continue in a new file (writes a new file)');
    tree.send({ type: 'chosen', index: 1 }).press('w', 'h', 'y', 'enter');
    expect(tree.state.exit).toMatchObject({ wish: { way: 'in_place', summary: 'why' } });
  });

  it('already there: it is resumed as it is, without a line', () => {
    expect(items(asked(open(), { inPlace: { kind: 'already' } }))[0]).toBe('Resume it as it is');
  });

  it('what stands in the way takes the ways on away, and what can be agreed to is asked again', () => {
    const refused = { kind: 'refused', reason: 'no' } as const;
    expect(items(asked(open(), { resume: refused }))).toEqual(['Copy the text', 'Back']);
    const gone = asked(open(), { resume: { kind: 'folder_gone', cwd: '/gone' } });
    expect(items(gone)).toEqual(['Go on in this folder', 'Copy the text', 'Back']);
    gone.send({ type: 'chosen', index: 0 });
    expect(gone.asked('planBranch')?.point.choices).toEqual(['continue_here']);
  });

  it('where a session is only picked, Enter says why nothing is branched', () => {
    const tree = open({ isPicking: true }).press('enter');
    expect(tree.asked('planBranch')).toBeUndefined();
    expect(tree.state.view.notice?.text).toContain('only picked');
  });
});
