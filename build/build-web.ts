/**
 * Builds the pages of the web interface: `node build/build-web.ts`. In: src/web. Out: dist/web with index.html, the
 * program, its later parts and the styles, minified. `npm ci` runs it, so that a clone can serve the pages at once.
 *
 * What always holds: the names of all files except index.html carry a hash of their content, so a browser may keep
 * them for ever. index.html has no inline script and no inline style, because the server forbids both.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src', 'web');
export const WEB_FOLDER = join(ROOT, 'dist', 'web');

export async function buildWeb(folder = WEB_FOLDER): Promise<void> {
  // The files appear in one step, because a server may be reading the folder, and two builds may run at once.
  const part = `${folder}.${process.pid}.part`;
  await mkdir(part, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: SOURCE,
    entryPoints: { app: 'main.tsx', style: 'styles/style.css', icon: 'icon.svg' },
    loader: { '.svg': 'copy' },
    outdir: part,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning',
  });
  const fileOf = (entry: string): string =>
    basename(Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)![0]);
  const page = (await readFile(join(SOURCE, 'index.html'), 'utf8'))
    .replace('{script}', `/${fileOf('main.tsx')}`)
    .replace('{style}', `/${fileOf('styles/style.css')}`)
    .replace('{icon}', `/${fileOf('icon.svg')}`);
  await writeFile(join(part, 'index.html'), page);
  await rm(folder, { recursive: true, force: true });
  await rename(part, folder);
}

if (import.meta.main) await buildWeb();
