/**
 * Dependencies point one way: cli, dashboard → library → crawl, watcher, demo → stages → url, robots, graph → core. Stages do not import each
 * other; `crawl` joins them. And no file imports itself by way of others.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const STAGES = ['fetch', 'page', 'frontier', 'store', 'archive', 'change', 'search', 'extract', 'ajax'] as const;
const GROUND = ['url', 'robots', 'graph', 'core'] as const;
const JOINED = [...STAGES, ...GROUND];

/** What each folder may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  url: ['core'],
  robots: ['core'],
  graph: ['core'],
  ...Object.fromEntries(STAGES.map((stage) => [stage, GROUND])),
  demo: ['core'],
  watcher: JOINED,
  // A refresh checks a sample of the archive.
  crawl: ['verify', ...JOINED],
  verify: JOINED,
  recover: ['crawl', 'verify', ...JOINED],
  library: ['crawl', 'verify', ...JOINED],
  // The public surface: exports only.
  'index.ts': ['library', 'crawl', 'verify', ...JOINED],
  dashboard: ['library', 'crawl', 'watcher', ...JOINED],
  cli: ['library', 'crawl', 'recover', 'verify', 'watcher', 'demo', 'dashboard', ...JOINED],
};

interface Import {
  readonly from: string;
  /** A file of ours, or the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

const STATEMENT = /^(?:import|export)\s+(type\s)?([^;'"]*?\sfrom\s*)?'([^']+)'/gm;
const ELSEWHERE = /\bimport\(\s*'([^']+)'|\bnew URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const resolve = (to: string) =>
    to.startsWith('.')
      ? normalize(join(file, '..', to))
          .split(sep)
          .join('/')
      : to;
  const found: Import[] = [];
  for (const [, type, clause, to] of text.matchAll(STATEMENT)) {
    found.push({ from: file, to: resolve(to!), typeOnly: type !== undefined || isAllTypes(clause) });
  }
  for (const [, dynamic, url] of text.matchAll(ELSEWHERE)) {
    found.push({ from: file, to: resolve(dynamic ?? url!), typeOnly: false });
  }
  return found;
}

/** `import { type A, type B } from` */
function isAllTypes(clause: string | undefined): boolean {
  const names = /^\{([^}]*)\}\s*from/.exec(clause ?? '')?.[1] ?? 'all';
  return names.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '));
}

const folderOf = (file: string) => file.split('/')[1]!;
const files = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => file.split(sep).join('/'));
const imports = files.flatMap(importsOf);
const ours = imports.filter(({ to }) => to.startsWith('src/'));

test('the imports are found', () => {
  assert.ok(files.length > 100 && ours.length > 200, `${files.length} files, ${ours.length} imports`);
  const known = new Set(files);
  for (const { from, to } of ours) assert.ok(known.has(to), `${from} imports ${to}, which is not there`);
  const wall = imports.filter(({ to }) => to.startsWith('../') || /^(?:test|bench)\//.test(to));
  assert.deepEqual(wall, [], 'src imports nothing of the tests or the benchmarks');
});

test('dependencies between the folders point one way', () => {
  const wrong: string[] = [];
  for (const { from, to } of ours) {
    const allowed = ALLOWED[folderOf(from)];
    assert.ok(allowed, `src/${folderOf(from)} is a folder this test does not know: give it a place`);
    if (folderOf(from) !== folderOf(to) && !allowed.includes(folderOf(to))) wrong.push(`${from} → ${to}`);
  }
  assert.deepEqual(wrong, []);
});

test('no file imports itself by way of others', () => {
  const next = Map.groupBy(
    ours.filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `a cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`);
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
});

test('what src imports from elsewhere is of Node or a dependency that is installed with the package', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const wrong = imports.filter(({ to }) => {
    if (to.startsWith('src/') || to.startsWith('node:')) return false;
    const name = to.split('/', to.startsWith('@') ? 2 : 1).join('/');
    return !Object.hasOwn(dependencies, name);
  });
  assert.deepEqual(wrong, []);
});
