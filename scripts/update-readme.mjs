import { readFileSync, writeFileSync } from 'node:fs';
import { keysAsMarkdown } from '../src/model/keymap.ts';

// The key table of the README is written from the one that dispatches keys; a test keeps the two in step.
const readme = new URL('../README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');
const block = /(<!-- keys:start -->\n)[\s\S]*?(<!-- keys:end -->)/;
writeFileSync(
  readme,
  text.replace(block, (_, start, end) => `${start}\n${keysAsMarkdown()}\n${end}`),
);
