import { Text } from 'ink';
import { useMemo } from 'react';
import type { SessionRow as Row } from '../src/model/row-text.ts';
import { hitLine, type RowView, sessionLine } from '../src/model/session-line.ts';
import { type Spans, span } from '../src/model/spans.ts';
import { hitKey, type TextHit } from '../src/model/text-hits.ts';
import { useTheme } from './theme.ts';

interface Props {
  readonly rows: readonly Row[];
  /** Places in sessions' texts, below the rows. */
  readonly hits: readonly TextHit[];
  /** The session that a hit stands in. */
  readonly rowOf: (hit: TextHit) => Row | undefined;
  /** The same object as long as lines of the same rows stay the same. */
  readonly view: RowView;
  /** A row's path, or a hit's key. */
  readonly selected: string | undefined;
}

/** Remembers what was painted for a row, or for a hit beside its row. */
function remembered<Key extends object>(
  paint: (key: Key, row: Row | undefined) => string,
): (key: Key, row: Row | undefined) => string {
  const known = new WeakMap<Key, { readonly row: Row | undefined; readonly line: string }>();
  return (key, row) => {
    const last = known.get(key);
    if (last !== undefined && last.row === row) return last.line;
    const line = paint(key, row);
    known.set(key, { row, line });
    return line;
  };
}

/** So few lines that a key measures little anew, so many that little is laid out. */
const BLOCK_LINES = 8;

/**
 * The lines of the list, a few in one text: to lay out each of them as a box costs the first picture more than all the rest.
 * Lines that were painted once are kept, so that a key paints the two that change.
 */
export function SessionLines({ rows, hits, rowOf, view, selected }: Props) {
  const theme = useTheme();
  const paint = useMemo(() => {
    const plain = (line: Spans): string => theme.paint([span('  '), ...line]);
    const chosen = (line: Spans): string => theme.select([span('❯ '), ...line]);
    return {
      row: remembered((row: Row) => plain(sessionLine(row, view))),
      selectedRow: remembered((row: Row) => chosen(sessionLine(row, view))),
      hit: remembered((hit: TextHit, row) => plain(hitLine(hit, row, view))),
      selectedHit: remembered((hit: TextHit, row) => chosen(hitLine(hit, row, view))),
    };
  }, [theme, view]);
  const lines = [
    ...rows.map((row) => (row.path === selected ? paint.selectedRow : paint.row)(row, row)),
    ...hits.map((hit) => (hitKey(hit) === selected ? paint.selectedHit : paint.hit)(hit, rowOf(hit))),
  ];
  const blocks = Array.from({ length: Math.ceil(lines.length / BLOCK_LINES) }, (_, index) =>
    lines.slice(index * BLOCK_LINES, (index + 1) * BLOCK_LINES).join('\n'),
  );
  return blocks.map((block, index) => (
    <Text key={index} wrap="truncate">
      {block}
    </Text>
  ));
}
