import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

// Only for those who debug Ink; left in, its import would fail at every start, for what it wants is not installed.
const withoutDevtools: Plugin = {
  name: 'without-devtools',
  setup(b) {
    b.onLoad({ filter: /[\\/]ink[\\/]build[\\/]devtools\.js$/ }, () => ({ contents: 'export {};' }));
  },
};

/** A program with Ink as its users bundle it, and nothing else done to it. Gives its file. */
export async function bundleStock(folder: string, name: string, contents: string): Promise<string> {
  const outfile = path.join(folder, `${name}.mjs`);
  await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    plugins: [withoutDevtools],
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}
