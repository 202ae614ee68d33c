import { isShownByDefault, type SessionRow } from '../catalog/session-row.ts';
import type { PickerState } from './picker.ts';
import { patternsOf } from './query.ts';
import { sortRows } from './row-sort.ts';
import { isNamed } from './row-text.ts';
import { passesFilters } from './search.ts';
import { filterTerms } from './text-hits.ts';

/** How many sessions the filters hold back, each counted at the first filter that does. */
export interface Counts {
  readonly total: number;
  /** Of other folders, while the scope is this one. */
  readonly elsewhere: number;
  /** Sub-agents and stubs. */
  readonly hidden: number;
  /** Without a title of their own, while only named ones are shown. */
  readonly unnamed: number;
}

/** What passes all filters but the query, in order, and how many do not. */
export function filterRows(picker: PickerState): Pick<PickerState, 'candidates' | 'counts'> {
  const here = new Set(picker.here);
  const candidates: SessionRow[] = [];
  let elsewhere = 0;
  let hidden = 0;
  let unnamed = 0;
  for (const row of picker.rows.values()) {
    const isVisible = picker.isShowingHidden || isShownByDefault(row);
    if (picker.scope === 'here' && (row.cwd === null || !here.has(row.cwd))) elsewhere += isVisible ? 1 : 0;
    else if (!isVisible) hidden++;
    else if (picker.isNamedOnly && !isNamed(row)) unnamed++;
    else candidates.push(row);
  }
  const counts = { total: picker.rows.size, elsewhere, hidden, unnamed };
  return { candidates: sortRows(candidates, picker.sort), counts };
}

/** The rows that pass every filter, whatever words stand in them. */
export function passingRows({ candidates, query, passing }: PickerState): readonly SessionRow[] {
  if (filterTerms(query).length === 0) return candidates;
  const hasPatterns = patternsOf(query).length > 0;
  return candidates.filter(
    (row) => passesFilters(row, query) && (!hasPatterns || passing?.paths.has(row.path) === true),
  );
}
