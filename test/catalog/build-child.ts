import { findAgentRoots } from '../../src/agents/agents.ts';
import { Refresh } from '../../src/catalog/refresh.ts';
import { CatalogStore } from '../../src/catalog/store.ts';
import { openStoreFile } from '../../src/catalog/store-file.ts';
import { buildSubstringIndex } from '../../src/catalog/substring-index.ts';

// A first build in a process of its own, to be killed: says when it begins and when it is done.
const [agentDir = '', cacheDir = ''] = process.argv.slice(2);
const store = new CatalogStore(openStoreFile(cacheDir));
process.stdout.write('begun\n');
const refresh = new Refresh(store, findAgentRoots([agentDir]), () => undefined);
refresh.settle();
for (const _ of refresh.read(refresh.unindexed, true));
for (const _ of buildSubstringIndex(store));
process.stdout.write('done\n');
