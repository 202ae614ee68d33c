import { Box, useApp, useWindowSize } from 'ink';
import { useMemo, useState } from 'react';
import type { KeyPress } from '../src/model/key-names.ts';
import { chooseTheme, ThemeContext } from './theme.ts';
import { type TreeListener, type TreeOptions, type TreePorts, TreeScreen } from './tree-screen.tsx';

const NO_KEYS: readonly KeyPress[] = [];

/** One session's tree, alone. It ends through Ink's exit, whose value is a `TreeExit`; Ink must leave Ctrl+C alone. */
export function TreeApp({ options, ports }: { readonly options: TreeOptions; readonly ports: TreePorts }) {
  const [theme] = useState(() => chooseTheme(process.env));
  const { exit } = useApp();
  const listener = useMemo((): TreeListener => ({ onShown: () => {}, onExit: exit }), [exit]);
  const { columns, rows } = useWindowSize();
  return (
    <ThemeContext value={theme}>
      <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
        <TreeScreen options={options} ports={ports} listener={listener} firstKeys={NO_KEYS} />
      </Box>
    </ThemeContext>
  );
}
