import type { ContextView } from '../catalog/tree-session.ts';
import { neutraliseBlock, neutraliseLine } from './neutralise.ts';
import { countText } from './row-text.ts';
import { fitSpans, type Spans, type Style, span, spread } from './spans.ts';
import { wrap } from './text.ts';

const MAX_LINES_OF_ITEM = 6;

const ROLE_STYLES: Readonly<Record<string, Style>> = { user: 'user', assistant: 'assistant', toolResult: 'tool' };

function roleStyle(role: string): Style {
  return ROLE_STYLES[role] ?? 'accent';
}

const laidOut = new WeakMap<ContextView, { readonly cells: number; readonly lines: readonly Spans[] }>();

/** What a model would see, message by message with its tokens, as lines of at most `cells` cells. Keeps the last layout. */
export function contextLines(context: ContextView, cells: number): readonly Spans[] {
  const known = laidOut.get(context);
  if (known?.cells === cells) return known.lines;
  const lines = layOut(context, cells);
  laidOut.set(context, { cells, lines });
  return lines;
}

function layOut({ items, omitted, tokens, thinkingLevel, models, mode }: ContextView, cells: number): Spans[] {
  const all = items.length + omitted;
  const count = all === 1 ? '1 message' : `${countText(all)} messages`;
  const state = [
    `thinking ${neutraliseLine(thinkingLevel)}`,
    ...(mode === 'none' ? [] : [`mode ${neutraliseLine(mode)}`]),
  ];
  const named = Object.entries(models).map(([role, model]) =>
    neutraliseLine(role === 'default' ? model : `${role}: ${model}`),
  );
  const lines: Spans[] = [
    fitSpans([span(`${count}, about ${countText(tokens)} tokens (an estimate: four bytes each)`)], cells),
    fitSpans([span([...named, ...state].join(' · '), 'faint')], cells),
  ];
  for (const [index, { role, text, tokens: own }] of items.entries()) {
    if (index === 1 && omitted > 0) lines.push([], [span(`… ${countText(omitted)} messages more …`, 'faint')]);
    lines.push([], spread([span(neutraliseLine(role), roleStyle(role))], [span(`~${countText(own)}`, 'faint')], cells));
    const wrapped = wrap(neutraliseBlock(text).trim(), Math.max(1, cells - 2), MAX_LINES_OF_ITEM + 1);
    for (const line of wrapped.slice(0, MAX_LINES_OF_ITEM)) lines.push([span(`  ${line}`)]);
    if (wrapped.length > MAX_LINES_OF_ITEM) lines.push([span('  …', 'faint')]);
  }
  if (items.length === 0) lines.push([], [span('The context is empty.', 'faint')]);
  return lines;
}
