import { Box, useApp, useWindowSize } from 'ink';
import { useMemo, useState } from 'react';
import type { KeyPress } from '../src/model/key-names.ts';
import { chooseTheme, ThemeContext } from './theme.ts';
import { type TreeListener, type TreeOptions, type TreePorts, TreeScreen } from './tree-screen.tsx';

const NO_KEYS: readonly KeyPress[] = [];

/** One session's tree, alone, and whichever others are gone to from it. It ends through Ink's exit, whose value is a `TreeEnd`; Ink must leave Ctrl+C alone. */
export function TreeApp({ options, ports }: { readonly options: TreeOptions; readonly ports: TreePorts }) {
  const [theme] = useState(() => chooseTheme(process.env));
  const { exit } = useApp();
  const [shown, setShown] = useState(options);
  const listener = useMemo(
    (): TreeListener => ({
      onShown: () => {},
      onExit: (end) => {
        if (end.kind === 'elsewhere') setShown({ path: end.path, title: '', startId: end.entryId });
        else exit(end);
      },
    }),
    [exit],
  );
  const { columns, rows } = useWindowSize();
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        <TreeScreen key={shown.path} options={shown} ports={ports} listener={listener} firstKeys={NO_KEYS} />
      </Box>
    </ThemeContext>
  );
}
