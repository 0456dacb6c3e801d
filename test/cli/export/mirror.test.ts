/** Tests `export --format mirror` with a small local web: the files, a second run, an earlier time, and bad folders. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type LocalWeb, startWeb } from '../../../testbed/web/local-web.ts';
import { fetchOverTime } from '../../copy/fetched-over-time.ts';
import { runCli } from '../setup/run-cli.ts';

const PAGES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/': [
    'text/html',
    '<head><title>Front</title><link rel=stylesheet href=/css/main.css></head><a href=/a>a</a> <a href=/old>old</a>' +
      '<a href="/list?page=2">list</a><a href="https://elsewhere.test/">out</a><img src=/missing.png>',
  ],
  '/a': ['text/html; charset=iso-8859-1', '<title>A</title><a href="/a/b#part">b</a><a href="/">up</a>'],
  '/a/b': ['text/html', '<title>B</title><a href="/a">a</a>'],
  '/list?page=2': ['text/html', '<title>List</title><a href="/">up</a>'],
  '/css/main.css': ['text/css', 'body{background:url(../img/dot.svg)}'],
  '/img/dot.svg': ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
};

let web: LocalWeb;
let dir: string;
let copy: string;

before(async () => {
  web = await startWeb();
  web.on('/*', ({ path, response }) => {
    const found = PAGES[path];
    if (path === '/old') return void response.writeHead(301, { location: '/a/b' }).end();
    if (found === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': found[0] }).end(found[1]);
  });
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-mirror-'));
  copy = join(dir, 'copy');
  await runCli('crawl', web.url('/'), '--assets', '--dir', copy, '--near-duplicate', '0', '--json');
});
after(async () => {
  await web.close();
  rmSync(dir, { recursive: true, force: true });
});

function mirror(folder: string, ...words: string[]) {
  return runCli('export', '--format', 'mirror', '--dir', copy, '--out', folder, ...words);
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

test('a mirror has a file for each page and asset, and a second run writes only what differs', async () => {
  const folder = join(dir, 'site');
  const { exitCode, stdout, stderr } = await mirror(folder, '--json');
  assert.deepEqual([exitCode, stderr], [0, '']);
  const host = web.host.replace(':', '+');
  const files = filesIn(folder);
  const list = files.find((file) => file.includes('list-'))!;
  assert.match(list, /\/list-[0-9a-f]{8}\.html$/);
  assert.deepEqual(
    files.filter((file) => file !== list),
    ['a.html', 'a/b.html', 'css/main.css', 'img/dot.svg', 'index.html']
      .map((file) => `${host}/${file}`)
      .concat('index.html', 'orbweaver-export-files.txt', 'orbweaver-export.json')
      .sort(),
  );
  const front = readFileSync(join(folder, host, 'index.html'), 'utf8');
  for (const right of ['href="css/main.css"', 'href="a.html"', 'href="a/b.html"', `href="${list.split('/')[1]}"`]) {
    assert.ok(front.includes(right), right);
  }
  assert.ok(front.includes('href="https://elsewhere.test/"') && front.includes('data-orbweaver-src="http://'));
  assert.match(readFileSync(join(folder, host, 'a.html'), 'utf8'), /charset="windows-1252".*href="a\/b\.html#part"/);
  assert.match(readFileSync(join(folder, host, 'css/main.css'), 'utf8'), /url\("\.\.\/img\/dot\.svg"\)/);
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  assert.ok(index.includes('Front') && index.includes(web.origin));
  const { files: number, pages, leftOut, absolute, unchanged } = JSON.parse(stdout);
  assert.deepEqual([number, pages, leftOut, absolute, unchanged], [6, 4, 1, 1, 0]);

  writeFileSync(join(folder, 'orbweaver-export-files.txt'), `${host}/stale/x.html\n../outside.txt\n${host}/a.html\n`);
  mkdirSync(join(folder, host, 'stale'));
  writeFileSync(join(folder, host, 'stale/x.html'), 'old');
  writeFileSync(join(folder, 'note.txt'), 'of the user');
  writeFileSync(join(dir, 'outside.txt'), 'outside');
  const again = JSON.parse((await mirror(folder, '--json')).stdout);
  assert.deepEqual([again.unchanged, again.removed], [6, 1]);
  assert.ok(!existsSync(join(folder, host, 'stale')), 'an old file and its empty folder are removed');
  assert.ok(existsSync(join(folder, 'note.txt')) && existsSync(join(dir, 'outside.txt')));
});

test('a folder with other files is refused, and a symbolic link does not lead out of the mirror', async () => {
  const other = join(dir, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'thesis.txt'), 'precious');
  const { exitCode, stderr } = await mirror(other);
  assert.deepEqual([exitCode, /is no earlier export/.test(stderr)], [2, true]);
  assert.deepEqual(filesIn(other), ['thesis.txt']);

  const trapped = join(dir, 'trapped');
  mkdirSync(trapped);
  writeFileSync(join(trapped, 'orbweaver-export.json'), '{"format":"mirror"}');
  symlinkSync(other, join(trapped, web.host.replace(':', '+')));
  const run = await mirror(trapped);
  assert.deepEqual([run.exitCode, /ERR_OUTPUT/.test(run.stderr)], [1, true]);
  assert.deepEqual(filesIn(other), ['thesis.txt']);
});

test('--at mirrors the copy of that time, and passes over errors that come and go', async () => {
  const old = join(dir, 'old');
  await fetchOverTime(old);
  for (const [time, text] of [
    ['2024-06', 'version one'],
    ['2025-06', 'version one'],
    ['2026', 'version two'],
  ] as const) {
    const folder = join(dir, `at-${time}`);
    const words = ['export', '--format', 'mirror', '--dir', old, '--at', time, '--out', folder];
    assert.equal((await runCli(...words)).exitCode, 0);
    assert.ok(readFileSync(join(folder, 'site.test/page.html'), 'utf8').endsWith(text), time);
  }
  const mirrored = join(dir, 'at-2026');
  const early = await runCli('export', '--format', 'mirror', '--dir', old, '--at', '2020', '--out', mirrored);
  assert.deepEqual([early.exitCode, /ERR_NOT_IN_COPY/.test(early.stderr)], [1, true]);
  assert.ok(existsSync(join(mirrored, 'site.test/page.html')), 'a time without pages removes nothing');
});

test('wrong flags are refused with the right ones', async () => {
  const runs = await Promise.all([
    runCli('export', '--format', 'mirror', '--dir', copy),
    runCli('export', '--format', 'mirror', '--dir', copy, '--out', join(dir, 'x'), '--output', 'y'),
    runCli('export', '--format', 'csv', '--dir', copy, '--out', join(dir, 'x')),
  ]);
  assert.deepEqual(
    runs.map(({ exitCode }) => exitCode),
    [2, 2, 2],
  );
  assert.match(runs[0]!.stderr, /--out <folder>/);
  assert.match(runs[2]!.stderr, /--output <file>/);
});
