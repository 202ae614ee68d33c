import type { Binding } from './key-modes.ts';

/** The keys that edit a line of text. */
export const editBindings = [
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['left', 'ctrl+b'],
    does: 'left',
    help: 'One character left',
  },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['right', 'ctrl+f'],
    does: 'right',
    help: 'One character right',
  },
  {
    modes: ['picker', 'history', 'field', 'labels'],
    keys: ['alt+b', 'ctrl+left', 'alt+left'],
    does: 'wordLeft',
    help: 'One word left',
  },
  {
    modes: ['picker', 'history', 'field', 'labels'],
    keys: ['alt+f', 'ctrl+right', 'alt+right'],
    does: 'wordRight',
    help: 'One word right',
  },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['ctrl+a'],
    does: 'lineStart',
    help: 'To the start of the line',
  },
  { modes: ['field'], keys: ['home'], does: 'lineStart', help: 'To the start of the line' },
  { modes: ['field'], keys: ['end'], does: 'lineEnd', help: 'To the end of the line' },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['ctrl+e'],
    does: 'lineEnd',
    help: 'To the end of the line',
  },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['backspace'],
    does: 'deleteLeft',
    help: 'Delete the character before',
  },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['delete'],
    does: 'deleteRight',
    help: 'Delete the character under the cursor',
  },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['ctrl+w', 'alt+backspace'],
    does: 'deleteWordLeft',
    help: 'Delete the word before',
  },
  {
    modes: ['picker', 'history', 'field', 'labels'],
    keys: ['alt+d'],
    does: 'deleteWordRight',
    help: 'Delete the word after',
  },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['ctrl+u'],
    does: 'deleteToStart',
    help: 'Delete to the start of the line',
  },
  {
    modes: ['picker', 'history', 'tree', 'field', 'labels'],
    keys: ['ctrl+k'],
    does: 'deleteToEnd',
    help: 'Delete to the end of the line',
  },
] as const satisfies readonly Binding[];
