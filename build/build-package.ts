/**
 * Builds the package as it is published. In: the sources and the folder to write to (default `dist`). Out: the command
 * line, the crawler unit and the library as bundles, the pages of the web interface, and the types of the library,
 * except with `--no-types`.
 *
 * The files are bundles because a start that loads two hundred modules in each of two threads spends a third of its time
 * on finding them. Code that is loaded only when needed stays in a file of its own. Dependencies stay packages, so that
 * users can update them.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { buildWeb } from './build-web.ts';

const ROOT = join(import.meta.dirname, '..');
const ENTRIES = [
  'index.ts',
  'cli/main.ts',
  'crawl/unit/unit.ts',
  'crawl/following/describer.ts',
  'crawl/following/search/indexer.ts',
  'crawl/following/search/maker.ts',
  'documents/thread/document-worker.ts',
  'mcp/thread/tool-thread.ts',
  'mcp/crawl/crawl-child.ts',
  'serve/readers/reader-thread.ts',
  'watcher/create-watcher.ts',
];

const outdir = resolve(process.argv[2] ?? join(ROOT, 'dist'));
rmSync(outdir, { recursive: true, force: true });
// Each entry is built alone. Shared code would be cut into many small files, and loading each of them takes time.
for (const entry of ENTRIES) {
  await build({
    absWorkingDir: join(ROOT, 'src'),
    entryPoints: [entry],
    outdir,
    // All in one folder: the file of a unit's thread is looked for beside whoever starts it.
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    packages: 'external',
    logLevel: 'warning',
  });
}
await buildWeb(join(outdir, 'web'));
if (!process.argv.includes('--no-types')) writeTypes();

function writeTypes(): void {
  execFileSync(
    join(ROOT, 'node_modules', '.bin', 'tsc'),
    ['-p', join(ROOT, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', outdir],
    { stdio: 'inherit' },
  );
}
