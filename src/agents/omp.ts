import { type Dialect, titleFrom } from './dialect.ts';

/** oh-my-pi, which keeps the title in a line of its own before the header. */
export const omp: Dialect = {
  name: 'omp',
  command: 'omp',
  keepsPrompts: true,
  titleOf: (found) => titleFrom(found.slot, found.slotSource) ?? titleFrom(found.header, found.headerSource),
  refusalOf: (opening) => (opening.hasHeader ? undefined : 'omp cannot open a file without a session header'),
  // A line that omp did not write itself makes it give up a session that it has open.
  changeRefusalOf: () => "Bough only reads omp's sessions",
  keepsBlobs: true,
  titleEntry: undefined,
  resumeArguments: (sessionPath) => ['--session', sessionPath],
};
