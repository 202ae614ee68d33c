import { Box, Text, useInput } from 'ink';
import SelectInput from 'ink-select-input';
import { useRef, useState } from 'react';
import type { WindowSize } from '../src/model/layout.ts';
import { menuLabel, menuLines } from '../src/model/overlay-text.ts';
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
  return <Text wrap="truncate">{isSelected ? theme.select([span(label)]) : label}</Text>;
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
  const lines = menuLines(menu, size);
  const items = menu.items.map((item, place) => ({
    key: String(place),
    label: menuLabel(item, size.columns),
    value: place,
  }));
  return (
    <Box flexDirection="column" height={size.rows - 1}>
      <Styled lines={lines} />
      <SelectInput
        key={index}
        items={items}
        initialIndex={index}
        isFocused={false}
        limit={Math.max(1, size.rows - 1 - lines.length)}
        indicatorComponent={Indicator}
        itemComponent={Item}
      />
    </Box>
  );
}
