import { Box, Text } from 'ink';
import SelectInput from 'ink-select-input';
import type { WindowSize } from '../src/model/layout.ts';
import { menuLabel, menuLines } from '../src/model/overlay-text.ts';
import type { Menu } from '../src/model/overlays.ts';
import { span } from '../src/model/spans.ts';
import { Styled } from './styled.tsx';
import { useTheme } from './theme.ts';

interface Props {
  readonly menu: Menu;
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

/** A short menu over the list: what it is about, and what can be done. */
export function ActionMenu({ menu, size, onChoose }: Props) {
  const lines = menuLines(menu, size);
  const items = menu.items.map((item, index) => ({
    key: String(index),
    label: menuLabel(item, size.columns),
    value: index,
  }));
  return (
    <Box flexDirection="column" height={size.rows - 1}>
      <Styled lines={lines} />
      <SelectInput
        items={items}
        limit={Math.max(1, size.rows - 1 - lines.length)}
        indicatorComponent={Indicator}
        itemComponent={Item}
        // Ink's select calls this with undefined for an empty list.
        onSelect={(item: { readonly value: number } | undefined) => {
          if (item !== undefined) onChoose(item.value);
        }}
      />
    </Box>
  );
}
