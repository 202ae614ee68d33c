/** What the commands do. It loads only when one of them runs: the picker starts without it. */
export { runBranch } from './branch.ts';
export { runCompletion } from './completion.ts';
export { runContext } from './context.ts';
export { runHistoryJson } from './history.ts';
export { runHistoryAdd, runHistoryImport, runHistoryRemove } from './history-changes.ts';
export { runIndex } from './index-command.ts';
export { runLabel, runLabels } from './label.ts';
export { runList } from './list.ts';
export { runResume } from './resume.ts';
export { runSearch } from './search.ts';
export { runShow } from './show.ts';
export { runTreeJson } from './tree.ts';
export { runUndo } from './undo.ts';
