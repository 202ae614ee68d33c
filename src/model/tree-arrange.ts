import { filterTree } from './tree-model.ts';
import { rowFor } from './tree-moves.ts';
import { layOutRows } from './tree-rows.ts';
import type { TreeViewState } from './tree-state.ts';

const NO_FOLDS: ReadonlySet<number> = new Set();

/** Lays the rows out anew: after another filter, fold or search. The selection stays on its entry, or on what stands for it. */
export function layOut(state: TreeViewState): TreeViewState {
  const { model, filter, folds, search } = state;
  if (model === undefined) return state;
  const shown = filterTree(model, filter);
  const isNarrowed = state.line.text.trim() !== '' && search !== undefined;
  let hiddenByFilter = 0;
  let hiddenHits = 0;
  for (let at = 0; at < model.count; at++) {
    const isHit = !isNarrowed || search.hits[at] === 1;
    if (shown[at] === 0) {
      hiddenByFilter++;
      if (isNarrowed && isHit) hiddenHits++;
    } else if (!isHit) shown[at] = 0;
  }
  // Hits in folds are shown: who searches wants to see them.
  const rows = layOutRows(model, shown, isNarrowed ? NO_FOLDS : folds);
  return { ...state, rows, hiddenByFilter, hiddenHits, index: rowFor(model, rows, state.anchor) };
}
