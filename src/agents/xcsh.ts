import type { Opening } from '../session/opening.ts';
import { type Dialect, titleFrom } from './dialect.ts';

function refusalOf({ startsWithHeader }: Opening): string | undefined {
  return startsWithHeader ? undefined : 'xcsh would replace this file with an empty session';
}

/** xcsh, whose form is the specification's. */
export const xcsh: Dialect = {
  name: 'xcsh',
  command: 'xcsh',
  keepsPrompts: true,
  titleOf: (found) => titleFrom(found.header, found.headerSource) ?? titleFrom(found.shortSummary, 'auto'),
  refusalOf,
  changeRefusalOf: refusalOf,
  keepsBlobs: true,
  titleEntry: undefined,
  // xcsh stays in the folder that it is started in, except that it leaves the home folder unless told not to.
  resumeArguments: (sessionPath, cwd, home) => ['--session', sessionPath, ...(cwd === home ? ['--allow-home'] : [])],
};
