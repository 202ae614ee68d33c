import { Box, Text, useInput } from 'ink';
import SelectInput from 'ink-select-input';
import { useRef, useState } from 'react';
import type { WindowSize } from '../src/model/layout.ts';
import { menuFrame } from '../src/model/menu-frame.ts';
import type { Menu } from '../src/model/overlays.ts';
import { span } from '../src/model/spans.ts';
import { Styled } from './styled.tsx';
import { useTheme } from './theme.ts';

interface Props {
  readonly menu: Menu<unknown>;
  readonly size: WindowSize;
  readonly onChoose: (index: number) => void;
}

function Indicator({ isSelected = false }: { readonly isSelected?: boolean }) {
  return <Text>{isSelected ? '  ❯ ' : '    '}</Text>;
}

function Item({ label, isSelected = false }: { readonly label: string; readonly isSelected?: boolean }) {
  const theme = useTheme();
  const lines = label.split('\n').map((line) => (isSelected ? theme.select([span(line)]) : line));
  return <Text wrap="truncate">{lines.join('\n')}</Text>;
}

/**
 * The selected item. Keys of one burst each see what the one before did, before anything is drawn: the list's own handler
 * would act on the item that was selected when the burst began.
 */
function useSelection(count: number, onChoose: (index: number) => void): number {
  const [index, setIndex] = useState(0);
  const current = useRef(0);
  useInput((input, key) => {
    const step = key.upArrow || input === 'k' ? -1 : key.downArrow || input === 'j' ? 1 : 0;
    current.current = (current.current + step + count) % Math.max(1, count);
    setIndex(current.current);
    const digit = /^[1-9]$/.test(input) ? Number(input) - 1 : -1;
    const chosen = key.return ? current.current : digit;
    if (chosen >= 0 && chosen < count) onChoose(chosen);
  });
  return index;
}

/** A short menu over the list: what it is about, and what can be done. */
export function ActionMenu({ menu, size, onChoose }: Props) {
  const index = useSelection(menu.items.length, onChoose);
  const { lines, from, items } = menuFrame(menu, size, index);
  return (
    <Box flexDirection="column" height={size.rows - 1}>
      <Styled lines={lines} />
      <SelectInput
        key={index}
        items={items.map((item, place) => ({ key: String(from + place), label: item.join('\n'), value: from + place }))}
        initialIndex={index - from}
        isFocused={false}
        indicatorComponent={Indicator}
        itemComponent={Item}
      />
    </Box>
  );
}
