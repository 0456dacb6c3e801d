/**
 * Dependencies point one way: cli → library → copy, recover → crawl → verify → stages → url, robots, graph
 * → core. Stages do not import each other; `crawl` joins them. Sibling subfolders do not import each other in a
 * circle, and no file imports itself through other files.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { type FoundImports, findImports, type Import } from './imports.ts';
import { readTrees } from './source-trees.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A function with more parameters takes an object with named parts, because a reader cannot tell positions apart. */
const MAX_PARAMETERS = 5;
const GROUND = ['url', 'robots', 'graph', 'core'] as const;

/** The folders of `src` that each folder may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  url: ['core'],
  robots: ['core'],
  graph: ['core'],
  demo: ['core'],
  fetch: GROUND,
  page: GROUND,
  frontier: GROUND,
  store: GROUND,
  archive: GROUND,
  change: GROUND,
  content: GROUND,
  documents: GROUND,
  search: GROUND,
  // The watcher parses pages as a crawler does.
  watcher: ['page', ...GROUND],
  // Work after commits reads only the store; crawl joins it with the archive.
  followers: ['store', 'core'],
  verify: ['archive', 'fetch', 'store', ...GROUND],
  // A refresh verifies a sample of the archive.
  crawl: [
    ...[
      'followers',
      'verify',
      'archive',
      'change',
      'content',
      'documents',
      'fetch',
      'frontier',
      'page',
      'search',
      'store',
    ],
    ...GROUND,
  ],
  recover: ['crawl', 'archive', 'content', 'fetch', 'frontier', 'page', 'store', ...GROUND],
  // Reads a copy for people and programs. A crawl does not need it.
  copy: ['crawl', 'change', 'content', 'documents', 'fetch', 'frontier', 'page', 'search', 'store', ...GROUND],
  library: ['copy', 'crawl', 'verify', 'change', 'content', 'fetch', 'frontier', 'page', 'search', 'store', 'core'],
  // The public surface: exports only.
  'index.ts': ['library', 'copy', 'crawl', 'verify', 'change', 'frontier', 'search', 'store', 'core'],
  // The web interface: its API, and the pages that a browser gets.
  // Offers a copy to language models, and crawls for them within the rules of the crawl.
  mcp: ['copy', 'crawl', 'change', 'fetch', 'page', 'store', 'url', 'core'],
  serve: ['copy', 'crawl', 'verify', 'change', 'content', 'fetch', 'page', 'search', 'store', ...GROUND],
  // Runs in the browser. Of the server it may know only the types of the contract.
  web: ['serve'],
  cli: [
    ...['serve', 'mcp', 'library', 'copy', 'recover', 'crawl', 'verify', 'watcher', 'demo'],
    ...['archive', 'change', 'fetch', 'page', 'search', 'store', 'graph', 'core'],
  ],
};

/** Other folders may import these folders only through these files. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  'src/store/sqlite/': ['sqlite-store.ts', 'open.ts'],
  'src/mcp/': ['serve-mcp.ts'],
  'src/store/postgres/': ['postgres-store.ts', 'connection/address.ts', 'connection/open.ts'],
};

const found = findImports(ROOT, 'src');
const foundInTests = findImports(ROOT, 'test');

const isOurs = ({ to }: Import): boolean => to.startsWith('src/');
const shown = ({ from, to }: Import): string => `${from} → ${to}`;

function wrongFolders({ imports }: FoundImports): string[] {
  const folderOf = (file: string): string => file.split('/')[1]!;
  return imports
    .filter(isOurs)
    .filter(({ from, to }) => folderOf(from) !== folderOf(to) && !ALLOWED[folderOf(from)]?.includes(folderOf(to)))
    .map(shown);
}

/**
 * Sibling folders that import each other, directly or through other siblings. Files beside the folders do not count.
 */
function folderCycles({ files, imports }: FoundImports): string[] {
  const parents = new Set(files.flatMap((file) => ancestorsOf(dirname(file))));
  return [...parents].flatMap((parent) => {
    const childOf = (file: string): string | null => {
      const rest = file.startsWith(`${parent}/`) ? file.slice(parent.length + 1).split('/') : [];
      return rest.length > 1 ? `${parent}/${rest[0]}` : null;
    };
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      const [a, b] = [childOf(from), childOf(to)];
      if (a === null || b === null || a === b) continue;
      edges.set(a, (edges.get(a) ?? new Set<string>()).add(b));
    }
    return cyclesIn(edges);
  });
}

function fileCycles({ imports }: FoundImports): string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports.filter((one) => isOurs(one) && !one.typeOnly)) {
    edges.set(from, (edges.get(from) ?? new Set<string>()).add(to));
  }
  return cyclesIn(edges);
}

function cyclesIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) cycles.push([...path.slice(path.indexOf(node)), node].join(' → '));
    if (path.includes(node) || done.has(node)) return;
    for (const next of edges.get(node) ?? []) walk(next, [...path, node]);
    done.add(node);
  };
  for (const node of edges.keys()) walk(node, []);
  return cycles;
}

function ancestorsOf(folder: string): string[] {
  return folder === '.' ? [] : [folder, ...ancestorsOf(dirname(folder))];
}

test('every import is found, and every imported file exists', () => {
  assert.ok(found.files.length > 500 && found.imports.length > 2_000, `${found.imports.length} imports`);
  assert.deepEqual(found.faults, []);
  const known = new Set(found.files);
  const missing = found.imports.filter(
    ({ to }) => /^(?:src|test|testbed|bench|proof|\.\.)\//.test(to) && !known.has(to),
  );
  assert.deepEqual(missing.map(shown), []);
});

test('every folder of src has its place, and dependencies between them point one way', () => {
  const folders = new Set(found.files.map((file) => file.split('/')[1]!));
  assert.deepEqual([...folders].sort(), Object.keys(ALLOWED).sort());
  assert.deepEqual(wrongFolders(found), []);
});

test('sibling folders do not import each other in a circle', () => {
  assert.deepEqual(folderCycles(found), []);
});

test('no file imports itself through other files', () => {
  assert.deepEqual(fileCycles(found), []);
});

test('the engines of the store and the server for language models are entered through their doors', () => {
  const wrong = Object.entries(DOORS).flatMap(([folder, doors]) =>
    found.imports.filter(
      ({ from, to }) => to.startsWith(folder) && !from.startsWith(folder) && !doors.includes(to.slice(folder.length)),
    ),
  );
  assert.deepEqual(wrong.map(shown), []);
});

test('only units send requests to sites: nothing else loads the fetcher', () => {
  const loading = found.imports.filter(({ to, typeOnly }) => to === 'src/fetch/fetcher.ts' && !typeOnly);
  assert.ok(loading.length > 0);
  assert.deepEqual(loading.filter(({ from }) => !from.startsWith('src/crawl/unit/')).map(shown), []);
});

/** What tests, benchmarks and proofs share is in testbed/. Tests of a benchmark or proof are in test/bench and test/proof. */
const OUTSIDE_SRC: Readonly<Record<string, readonly string[]>> = {
  testbed: ['src', 'build'],
  bench: ['src', 'testbed', 'build'],
  // A proof is a test that takes too long for every run.
  proof: ['src', 'testbed', 'test', 'bench', 'build'],
  test: ['src', 'testbed', 'build', 'examples'],
  'test/bench': ['src', 'testbed', 'test', 'bench', 'build'],
  'test/proof': ['src', 'testbed', 'test', 'proof'],
};

test('tests and benchmarks do not import each other', () => {
  const all = [foundInTests, ...['testbed', 'bench', 'proof'].map((folder) => findImports(ROOT, folder))];
  const wrong = all
    .flatMap(({ imports }) => imports)
    .filter(({ from, to }) => {
      const [folder, below] = from.split('/') as [string, string];
      const allowed = OUTSIDE_SRC[`${folder}/${below}`] ?? OUTSIDE_SRC[folder]!;
      const target = to.split('/')[0]!;
      return Object.keys(OUTSIDE_SRC).includes(target) && target !== folder && !allowed.includes(target);
    });
  assert.ok(all.every(({ imports }) => imports.length > 10));
  assert.deepEqual(wrong.map(shown), []);
});

test('the pages of the web interface import only types, and only of the contract', () => {
  const crossing = found.imports.filter(
    ({ from, to }) => from.startsWith('src/web/') && isOurs({ from, to, typeOnly: true }),
  );
  const foreign = crossing.filter(({ to }) => !to.startsWith('src/web/'));
  assert.ok(crossing.length > 100 && foreign.length > 10);
  assert.deepEqual(
    foreign.filter(({ to, typeOnly }) => !typeOnly || !to.startsWith('src/serve/contract/')).map(shown),
    [],
  );
});

test('packages that src imports are part of Node or installed with the package', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const wrong = found.imports.filter(({ from, to }) => {
    // The packages of the pages become a part of the built files.
    if (from.startsWith('src/web/') && /^(?:preact(?:\/hooks)?|uplot)$/.test(to)) return false;
    if (to.startsWith('src/') || to.startsWith('node:')) return false;
    const name = to.split('/', to.startsWith('@') ? 2 : 1).join('/');
    return !Object.hasOwn(dependencies, name);
  });
  assert.deepEqual(wrong.map(shown), []);
});

test('folders that people can scan: at most 25 files on one level of src and test, 20 in src/crawl', () => {
  const files = [...found.files, ...foundInTests.files];
  const sizes = Map.groupBy(files, (file) => dirname(file));
  const crowded = [...sizes].filter(([folder, all]) => all.length > (folder === 'src/crawl' ? 20 : 25));
  assert.deepEqual(
    crowded.map(([folder, all]) => `${folder}: ${all.length}`),
    [],
  );
});

test('no function has more than five positional parameters', () => {
  // Only functions, methods, constructors and the types of functions have a list of parameters.
  const { functions, crowded } = readTrees(ROOT, 'src', (trees) => {
    const crowded: string[] = [];
    let functions = 0;
    for (const tree of trees) {
      tree.visit((node) => {
        if (node.parameters === undefined) return;
        functions++;
        const count = node.parameters.length;
        if (count > MAX_PARAMETERS) crowded.push(`${tree.placeOf(node)}: ${count} parameters`);
      });
    }
    return { functions, crowded };
  });
  assert.ok(functions > 5_000, `${functions} functions`);
  assert.deepEqual(crowded, []);
});

test('an import that is not allowed is noticed in every form', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'orbweaver-imports-'));
  t.after(() => rmSync(root, { recursive: true }));
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const options = { target: 'esnext', module: 'nodenext', allowImportingTsExtensions: true, noEmit: true };
  put('tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['src'] }));
  put('package.json', '{ "type": "module" }');
  put('src/store/contract.ts', 'export interface Store { readonly a: number }\nexport const STORE = 1;\n');
  const forms = {
    static: "import { STORE } from '../store/contract.ts';\nexport const a = STORE;",
    effects: "import '../store/contract.ts';",
    'type-only': "import type { Store } from '../store/contract.ts';\nexport type A = Store;",
    'inline type': "import { type Store } from '../store/contract.ts';\nexport type A = Store;",
    're-export': "export { STORE } from '../store/contract.ts';",
    'export all': "export * from '../store/contract.ts';",
    'export of types': "export type { Store } from '../store/contract.ts';",
    dynamic: "export const a = await import('../store/contract.ts');",
    'dynamic with a template': 'export const a = await import(`../store/contract.ts`);',
    'type of a module': "export type A = import('../store/contract.ts').Store;",
    'file URL': "export const a = new URL('../store/contract.ts', import.meta.url);",
    'after a text that looks like a comment':
      "export const glob = '*/prices/*';\nexport * from '../store/contract.ts';\nexport const end = '*/';",
    'over several lines': "import {\n  // a remark\n  STORE,\n} from '../store/contract.ts';\nexport const a = STORE;",
  };
  const names = Object.keys(forms);
  for (const [at, text] of Object.values(forms).entries()) put(`src/url/form-${at}.ts`, text);
  const remark =
    "// import '../store/contract.ts'\n/* import '../store/contract.ts' */\nexport const text = \"import './x.ts'\";";
  put('src/url/only-remarks.ts', remark);
  put('src/url/hidden.ts', 'const name = String(1);\nexport const a = await import(name);');
  const planted = findImports(root, 'src');
  const noticed = new Set(wrongFolders(planted).map((line) => line.split(' → ')[0]));
  assert.deepEqual(
    names.filter((_, at) => !noticed.has(`src/url/form-${at}.ts`)),
    [],
  );
  assert.equal(noticed.has('src/url/only-remarks.ts'), false);
  assert.deepEqual(planted.faults, ['src/url/hidden.ts:2 imports a file whose name is not written there']);
});

test('sibling folders that import each other are noticed', () => {
  const files = ['src/crawl/unit/a.ts', 'src/crawl/crew/b.ts', 'src/crawl/links/c.ts', 'src/crawl/run.ts'];
  const from = (at: number, to: number, typeOnly = false): Import => ({ from: files[at]!, to: files[to]!, typeOnly });
  assert.deepEqual(folderCycles({ files, imports: [from(0, 1), from(1, 2), from(3, 0), from(2, 3)], faults: [] }), []);
  const circle = { files, imports: [from(0, 1), from(1, 2, true), from(2, 0)], faults: [] };
  assert.equal(folderCycles(circle).length, 1);
});
