import type { Opening } from '../session/opening.ts';
import { type Dialect, titleFrom } from './dialect.ts';

function refusalOf({ startsWithHeader, isPlain }: Opening): string | undefined {
  return startsWithHeader && isPlain ? undefined : 'pi would replace this file with an empty session';
}

/** pi, which names sessions by an entry and reads its files strictly line by line. */
export const pi: Dialect = {
  name: 'pi',
  command: 'pi',
  keepsPrompts: false,
  // An empty name clears, so it does not fall back on anything older.
  titleOf: (found) =>
    found.sessionInfo === undefined
      ? titleFrom(found.header, found.headerSource)
      : titleFrom(found.sessionInfo, 'user'),
  refusalOf,
  changeRefusalOf: refusalOf,
  keepsBlobs: false,
  titleEntry: (name) => ({ type: 'session_info', name }),
  resumeArguments: (sessionPath) => ['--session', sessionPath],
};
