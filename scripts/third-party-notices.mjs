import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const KEPT = fileURLToPath(new URL('licences/', import.meta.url));

/**
 * The licence texts of every package of which something is in the bundle, as one text file. Throws when a package
 * has none: then it may not be shipped.
 */
export async function thirdPartyNotices(root, metafile) {
  const notices = await Promise.all(bundledPackages(metafile).map((folder) => packageNotice(path.join(root, folder))));
  const opening = 'Bough includes the following packages, each under its own licence.';
  // The same version may be installed at several depths.
  const distinct = [...new Set(notices)].sort();
  return `${[opening, ...distinct].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Package folders, from the files that left bytes in an output. */
function bundledPackages(metafile) {
  const folders = new Set();
  for (const output of Object.values(metafile.outputs))
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  return [...folders];
}

async function packageNotice(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const texts = await Promise.all((await licenceFiles(folder, name)).map((file) => readFile(file, 'utf8')));
  if (texts.length === 0) throw new Error(`${name} ${version} has no licence file`);
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}

/** Those of the package; where it forgot to ship one, the text that its sources refer to, kept in `licences/`. */
async function licenceFiles(folder, name) {
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  if (files.some((file) => !/^notice/i.test(file))) return files.map((file) => path.join(folder, file));
  const kept = await readdir(KEPT);
  return kept.filter((file) => file === `${name}.txt`).map((file) => path.join(KEPT, file));
}
