import { type Dialect, titleFrom } from './dialect.ts';

/** pi, which names sessions by an entry and reads its files strictly line by line. */
export const pi: Dialect = {
  name: 'pi',
  command: 'pi',
  // An empty name clears, so it does not fall back on anything older.
  titleOf: (found) =>
    found.sessionInfo === undefined
      ? titleFrom(found.header, found.headerSource)
      : titleFrom(found.sessionInfo, 'user'),
  refusalOf: (opening) =>
    opening.startsWithHeader && opening.isPlain ? undefined : 'pi would replace this file with an empty session',
  resumeArguments: (sessionPath) => ['--session', sessionPath],
};
