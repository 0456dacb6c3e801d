/**
 * Builds the watcher as one file to upload. In: the sources. Out: dist/orbweaver-watcher.mjs (`npm run build:watcher`).
 *
 * What always holds: the file imports only Node's own modules and runs on Node 18. It names its origin, its licence and
 * the licences of the packages that it contains.
 */
import { readFileSync } from 'node:fs';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
export const BUNDLE_PATH = join(ROOT, 'dist', 'orbweaver-watcher.mjs');

export interface Bundle {
  readonly path: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What is in it: source files, those of dependencies below node_modules. */
  readonly inputs: readonly string[];
}

export async function bundleWatcher(path = BUNDLE_PATH): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/watcher/main.ts'],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    minify: true,
    legalComments: 'inline',
    charset: 'utf8',
    banner: { js: banner() },
    plugins: [quietBuiltins],
    metafile: true,
    write: false,
  });
  const { contents } = outputFiles[0]!;
  await mkdir(dirname(path), { recursive: true });
  // In one step: a watcher that is started meanwhile reads the one before.
  const part = `${path}.${process.pid}.part`;
  await writeFile(part, contents);
  await chmod(part, 0o755);
  await rename(part, path);
  return {
    path,
    bytes: contents.length,
    gzipBytes: gzipSync(contents, { level: 9 }).length,
    inputs: Object.keys(metafile.inputs),
  };
}

/**
 * An `import` of a Node module reads all its exports, and some exports load code that the watcher does not use:
 * `node:http` loads a WebSocket client, which costs 8 MB per process. `require` loads only the exports that are used.
 */
const quietBuiltins: Plugin = {
  name: 'quiet-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin', sideEffects: false }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = ${LATE.has(path) ? lateModule(path) : `requireBuiltin("${path}")`};`,
      loader: 'js',
    }));
  },
};
/** Loaded when first used: TLS takes 6 MB, for announcements that few want. */
const LATE: ReadonlySet<string> = new Set(['node:https']);

function lateModule(path: string): string {
  return `{ get request() { return requireBuiltin("${path}").request; } }`;
}

/** Before the rest is read, since that takes memory, too (src/watcher/small-process.ts). */
const PRELUDE = `import { createRequire } from 'node:module';
const requireBuiltin = createRequire(import.meta.url);
const flags = ['--optimize-for-size', '--no-opt', '--no-sparkplug', ...(parseInt(process.versions.node) >= 20 ? ['--no-maglev'] : [])];
for (const flag of flags) requireBuiltin('node:v8').setFlagsFromString(flag);`;

function banner(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const licence = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim().split('\n');
  const about = [
    `orbweaver-watcher ${version}: tells crawlers what changed on a web site. Needs Node 18 or later and nothing else.`,
    'Start: node orbweaver-watcher.mjs /var/www/html --url https://www.example.org/',
    '',
    ...licence,
  ];
  return `#!/usr/bin/env node\n/*!\n${about.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n${PRELUDE}`;
}

if (process.argv[1] === import.meta.filename) {
  const { path, bytes, gzipBytes } = await bundleWatcher();
  process.stdout.write(`${path}: ${(bytes / 1000).toFixed(0)} kB, ${(gzipBytes / 1000).toFixed(0)} kB gzipped\n`);
}
