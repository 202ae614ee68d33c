import { createContext, useContext } from 'react';
import type { Spans, Style } from '../src/model/spans.ts';

/** Turns meaning into what the terminal understands. */
export interface Theme {
  /** The pieces of a line as one string ready to be drawn. */
  paint(spans: Spans): string;
  /** A whole line that is selected. */
  select(spans: Spans): string;
}

type Codes = readonly [open: string, close: string];

const NONE: Codes = ['', ''];
const BOLD: Codes = ['\x1b[1m', '\x1b[22m'];
const DIM: Codes = ['\x1b[2m', '\x1b[22m'];
const UNDERLINE: Codes = ['\x1b[4m', '\x1b[24m'];
const INVERSE: Codes = ['\x1b[7m', '\x1b[27m'];

const colour = (code: number): Codes => [`\x1b[${code}m`, '\x1b[39m'];
const both = (a: Codes, b: Codes): Codes => [a[0] + b[0], b[1] + a[1]];

/** No colour, but weight: what NO_COLOR leaves. */
const monochrome: Readonly<Record<Style, Codes>> = {
  plain: NONE,
  strong: BOLD,
  faint: DIM,
  match: UNDERLINE,
  accent: BOLD,
  live: BOLD,
  danger: BOLD,
  warning: BOLD,
  label: NONE,
  user: BOLD,
  assistant: NONE,
  tool: NONE,
};

/** The terminal's own sixteen colours, so that its palette decides. */
const coloured: Readonly<Record<Style, Codes>> = {
  ...monochrome,
  match: both(BOLD, colour(33)),
  accent: colour(36),
  live: colour(32),
  danger: colour(31),
  warning: colour(33),
  label: colour(35),
  user: both(BOLD, colour(36)),
  assistant: colour(32),
  tool: colour(34),
};

function themeOf(codes: Readonly<Record<Style, Codes>>): Theme {
  const paint = (spans: Spans): string =>
    spans.map(({ text, style }) => (text === '' ? '' : codes[style][0] + text + codes[style][1])).join('');
  return { paint, select: (spans) => INVERSE[0] + paint(spans) + INVERSE[1] };
}

const plainTheme: Theme = {
  paint: (spans) => spans.map(({ text }) => text).join(''),
  select: (spans) => spans.map(({ text }) => text).join(''),
};

/** The theme that the environment asks for: NO_COLOR leaves weights, FORCE_COLOR=0 and a dumb terminal nothing. */
export function chooseTheme(env: Readonly<Record<string, string | undefined>>): Theme {
  if (env['FORCE_COLOR'] === '0' || env['TERM'] === 'dumb') return plainTheme;
  return themeOf(env['NO_COLOR'] ? monochrome : coloured);
}

/** The theme of the screens. */
export const ThemeContext = createContext<Theme>(plainTheme);

/** The theme that is in force where a component stands. */
export function useTheme(): Theme {
  return useContext(ThemeContext);
}
