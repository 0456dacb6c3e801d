/** Tests `export --format tables`: the files and their index, other times, a second run, and hostile pages. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { HOST, keepAnswers } from '../../copy/versions-over-time.ts';
import { dataFolder } from '../../crawl/stored-crawl.ts';
import { runCli } from '../setup/run-cli.ts';

const SENTENCES =
  '<p>The web of an orb weaver has many radii, and the spider builds it anew in every night.</p>'.repeat(5);
const row = (...cells: readonly string[]) => `<tr>${cells.map((cell) => `<td>${cell}`).join('')}`;
const prices = (...rows: readonly string[]) => `<table><tr><th>Name<th>Price${rows.join('')}</table>`;
const page = (...parts: readonly string[]) =>
  `<!doctype html><title>t</title><body><h1>Spiders</h1>${SENTENCES}${parts.join('')}`;

const DAY_1 = '2026-03-01T08:00:00Z';
const DAY_2 = '2026-03-05T08:00:00Z';
const LAYOUT = `<table role=presentation>${row('left', 'right')}${row('a', 'b')}</table>`;
const NAVIGATION = `<nav>${prices(row('<a href=/a>Home</a>', '<a href=/b>Shop</a>'))}</nav>`;
const BEFORE = page(NAVIGATION, LAYOUT, prices(row('Silk', '3')), '<h2>Sizes</h2>', prices(row('Leg', '4')));
const AFTER = page(NAVIGATION, prices(row('Silk', '5')));

const ANSWERS = {
  [`${HOST}/shop.html`]: [
    { at: DAY_1, body: BEFORE },
    { at: DAY_2, body: AFTER },
  ],
  [`${HOST}/early`]: [
    { at: DAY_1, body: page(prices(row('Old', '1'))) },
    { at: DAY_2, body: 'gone', status: 410 },
  ],
  [`${HOST}/late`]: [{ at: DAY_2, body: page(prices(row('New', '2'))) }],
  [`${HOST}/none`]: [{ at: DAY_1, body: page() }],
  [`${HOST}/notes.txt`]: [{ at: DAY_1, body: 'a,b', headers: ['Content-Type', 'text/plain'] }],
};

async function exported(dir: string, out: string, ...words: readonly string[]) {
  const run = await runCli('export', '--format', 'tables', '--dir', dir, '--out', out, '--json', ...words);
  return { ...run, counts: run.exitCode === 0 ? (JSON.parse(run.stdout) as Record<string, number>) : {} };
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => file.slice(folder.length + 1)).sort();
}

test('each data table of the main content is a file of its time, and a second run follows the copy', async (t) => {
  const dir = dataFolder(t);
  await keepAnswers(dir, ANSWERS);
  const out = join(dir, 'tables');
  const own = ['index.csv', 'orbweaver-export-files.txt', 'orbweaver-export.json'];

  const { counts, stderr } = await exported(dir, out, '--at', '2026-03-02');
  assert.deepEqual([stderr, counts.files, counts.pages, counts.leftOut, counts.removed], ['', 3, 2, 0, 0]);
  const first = ['site.test/early.tables/1.csv', 'site.test/shop.tables/1.csv', 'site.test/shop.tables/2.csv'];
  assert.deepEqual(filesIn(out), [...own, ...first]);
  assert.equal(readFileSync(join(out, first[2]!), 'utf8'), 'Name,Price\r\nLeg,4\r\n');
  assert.deepEqual(readFileSync(join(out, 'index.csv'), 'utf8').split('\r\n'), [
    'file,url,number,heading,caption,headerRows,rows,columns,complete,fetchedAt',
    'site.test/shop.tables/1.csv,http://site.test/shop.html,1,Spiders,,1,2,2,yes,2026-03-01T08:00:00.000Z',
    'site.test/shop.tables/2.csv,http://site.test/shop.html,2,Sizes,,1,2,2,yes,2026-03-01T08:00:00.000Z',
    'site.test/early.tables/1.csv,http://site.test/early,1,Spiders,,1,2,2,yes,2026-03-01T08:00:00.000Z',
    '',
  ]);

  writeFileSync(join(out, 'site.test/shop.tables/7.csv'), 'of the user');
  const later = await exported(dir, out, '--at', '2026-04');
  assert.deepEqual([later.counts.files, later.counts.pages, later.counts.removed], [2, 2, 2]);
  const second = ['site.test/late.tables/1.csv', 'site.test/shop.tables/1.csv', 'site.test/shop.tables/7.csv'];
  assert.deepEqual(filesIn(out), [...own, ...second]);
  assert.equal(readFileSync(join(out, 'site.test/shop.tables/1.csv'), 'utf8'), 'Name,Price\r\nSilk,5\r\n');
  const again = await exported(dir, out, '--at', '2026-04');
  assert.deepEqual([again.counts.unchanged, again.counts.removed], [2, 0]);

  const none = await exported(dir, out, '--at', '2020');
  assert.deepEqual(
    [none.exitCode, /the copy has no pages for the format tables from 2020/.test(none.stderr)],
    [1, true],
  );
  assert.ok(existsSync(join(out, second[0]!)), 'a time without pages removes nothing');
});

test('files of an interrupted export are removed by the next one, and a link in place of the list is refused', async (t) => {
  const dir = dataFolder(t);
  await keepAnswers(dir, ANSWERS);
  const out = join(dir, 'tables');
  await exported(dir, out, '--at', '2026-04');
  const list = join(out, 'orbweaver-export-files.txt');
  // As if an export had listed a further table, written it, and ended before it could sort out the others.
  writeFileSync(list, 'site.test/shop.tables/2.csv\n', { flag: 'a' });
  writeFileSync(join(out, 'site.test/shop.tables/2.csv'), 'half');
  const { counts } = await exported(dir, out, '--at', '2026-04');
  assert.deepEqual([counts.removed, existsSync(join(out, 'site.test/shop.tables/2.csv'))], [1, false]);

  const outside = join(dir, 'outside.txt');
  writeFileSync(outside, 'precious');
  rmSync(list);
  symlinkSync(outside, list);
  assert.match((await exported(dir, out, '--at', '2026-04')).stderr, /ERR_OUTPUT/);
  assert.equal(readFileSync(outside, 'utf8'), 'precious');
});

test('captions, names and numbers of tables on hostile pages stay within limits', async (t) => {
  const dir = dataFolder(t);
  const small = '<table><tr><th>a<tr><td>b</table>';
  const caption = `<caption>=cmd|'/c calc'!A1 "x"\n${'long '.repeat(1_000)}</caption>`;
  await keepAnswers(dir, {
    // A page below the folder that the tables of another page would get.
    [`${HOST}/a`]: [{ at: DAY_1, body: page(`<table>${caption}<tr><th>a<th>b${row('@x', '-1')}</table>`) }],
    [`${HOST}/a.tables/1.csv/b`]: [{ at: DAY_1, body: page(small) }],
    [`${HOST}/index.csv`]: [{ at: DAY_1, body: page(small) }],
    [`${HOST}/many`]: [{ at: DAY_1, body: page(small.repeat(10_050)) }],
    [`${HOST}/long`]: [{ at: DAY_1, body: page(`<table><tr><th>a<th>b${row('c', 'd').repeat(60_000)}</table>`) }],
  });
  const out = join(dir, 'tables');
  const { counts, exitCode } = await exported(dir, out, '--at', '2026-04');
  assert.deepEqual([exitCode, counts.files, counts.leftOut], [0, 10_000 + 4, 50 + 1]);
  const lines = readFileSync(join(out, 'index.csv'), 'utf8').split('\r\n');
  const [hostile] = lines.filter((line) => line.includes('/a,'));
  assert.match(hostile!, /^site\.test\/a-[0-9a-f]{8}\.tables\/1\.csv,http:\/\/site\.test\/a,1,Spiders,"'=cmd/);
  assert.ok(hostile!.length < 500, `${hostile!.length}`);
  assert.match(readFileSync(join(out, hostile!.split(',')[0]!), 'utf8'), /^a,b\r\n'@x,-1\r\n$/);
  assert.match(lines.find((line) => line.includes('/long,'))!, /,no,2026/);
  const files = lines.slice(1, -1).map((line) => line.split(',')[0]!);
  assert.ok(files.every((file) => existsSync(join(out, file))));
  assert.equal(new Set(files.map((file) => file.toLowerCase())).size, files.length);
  assert.ok(files.every((file) => dirname(file).endsWith('.tables')));
});

test('a copy without tables has an empty index, and other folders and flags are refused', async (t) => {
  const dir = dataFolder(t);
  await keepAnswers(dir, { [`${HOST}/none`]: [{ at: DAY_1, body: page() }] });
  const out = join(dir, 'tables');
  const run = await runCli('export', '--format', 'tables', '--dir', dir, '--out', out, '--at', '2026-04');
  assert.equal(run.stdout, `${out} has 0 tables (0 bytes) of 0 pages; index.csv lists them.\n`);
  assert.equal(readFileSync(join(out, 'index.csv'), 'utf8').split('\r\n').length, 2);
  const other = join(dir, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'thesis.txt'), 'precious');
  assert.match((await exported(dir, other)).stderr, /is no earlier export with --format tables/);
  assert.match((await runCli('export', '--dir', dir, '--format', 'tables')).stderr, /name it with --out <folder>/);
});
