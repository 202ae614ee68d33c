import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keysAsMarkdown } from '../src/model/keymap.ts';

test('the key table of the README is the one that dispatches keys (npm run readme writes it)', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const block = /<!-- keys:start -->\n([\s\S]*)<!-- keys:end -->/.exec(readme)?.[1]?.trim();
  expect(block).toBe(keysAsMarkdown().trim());
});
