import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The licence texts of every package of which something is in the bundle, as one text file. Throws when a package
 * has none: then it may not be shipped.
 */
export async function thirdPartyNotices(root, metafile) {
  const notices = [];
  for (const folder of bundledPackages(metafile)) notices.push(await packageNotice(path.join(root, folder)));
  const opening = 'Bough includes the following packages, each under its own licence.';
  return `${[opening, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Package folders, from the files that left bytes in an output. */
function bundledPackages(metafile) {
  const folders = new Set();
  for (const output of Object.values(metafile.outputs))
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  return [...folders].sort();
}

async function packageNotice(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  if (!files.some((file) => !/^notice/i.test(file))) throw new Error(`${name} ${version} has no licence file`);
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}
