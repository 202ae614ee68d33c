import { findAgentRoots } from '../../src/agents/agents.ts';
import { Refresh } from '../../src/catalog/refresh.ts';
import { CatalogStore } from '../../src/catalog/store.ts';
import { openStoreFile } from '../../src/catalog/store-file.ts';
import { buildSubstringIndex } from '../../src/catalog/substring-index.ts';

// A first build in a process of its own, to be killed: says when it begins, how much of what is kept, and when it is done.
const [agentDir = '', cacheDir = ''] = process.argv.slice(2);
const store = new CatalogStore(openStoreFile(cacheDir));
let told = '';
function tell(text: string): void {
  if (text !== told) process.stdout.write(`${text}\n`);
  told = text;
}

tell('begun');
const refresh = new Refresh(store, findAgentRoots([agentDir]), () => undefined);
refresh.settle();
const texts = store.db.prepare('SELECT count(*) AS n FROM docs');
for (const _ of refresh.read(refresh.unindexed, true)) tell(`words ${texts.get()?.['n']}`);
for (const left of buildSubstringIndex(store)) tell(`substrings, ${left} files left`);
tell('done');
