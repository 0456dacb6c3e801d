import assert from 'node:assert/strict';
import { createReadStream, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { WARCParser } from 'warcio';
import { EXPORT_FIELDS } from '../../../src/cli/commands/export-rows.ts';
import { csvCell } from '../../../src/core/text/csv-cell.ts';
import { runCli } from '../setup/run-cli.ts';
import { HOSTILE_TITLE, makeSmallCrawl, removeCrawl, SEED, SITE, type SmallCrawl } from '../setup/small-crawl.ts';

let crawl: SmallCrawl;
before(async () => {
  crawl = await makeSmallCrawl();
});
after(() => removeCrawl(crawl));

function exported(...words: string[]) {
  return runCli('export', '--dir', crawl.dir, ...words);
}

test('jsonl has one object per known URL with the fields in their documented order', async () => {
  const { stdout, exitCode } = await exported();
  assert.equal(exitCode, 0);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(rows.length, 16);
  assert.equal(new Set(rows.map(({ url }) => url)).size, 16);
  for (const row of rows) assert.deepEqual(Object.keys(row), [...EXPORT_FIELDS]);
  const byUrl = new Map(rows.map((row) => [row.url, row]));
  const seed = byUrl.get(SEED);
  assert.equal(seed.state, 'fetched');
  assert.equal(seed.status, 200);
  assert.equal(seed.fetchedAt, '2025-11-15T09:46:40.000Z');
  assert.equal(seed.title, HOSTILE_TITLE);
  assert.match(seed.digest, /^sha256:[0-9a-f]{64}$/);
  assert.equal(seed.outlinks, 10);
  const waiting = byUrl.get(`${SITE}/wait`);
  assert.deepEqual(
    [waiting.status, waiting.fetchedAt, waiting.title, waiting.digest, waiting.reason, waiting.inlinks],
    [null, null, null, null, null, 1],
  );
  assert.equal(byUrl.get(`${SITE}/b`).duplicateOf, `${SITE}/a`);
  const { canonical, duplicateOf, canonicalVerdict } = byUrl.get(`${SITE}/copy`);
  assert.deepEqual([canonical, duplicateOf, canonicalVerdict], [`${SITE}/a`, `${SITE}/a`, 'believed']);
  assert.equal(byUrl.get(`${SITE}/b`).canonicalVerdict, 'target-missing');
});

test('--state selects rows', async () => {
  const { stdout } = await exported('--state', 'failed,skipped', '--state', 'redirect');
  const states = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).state);
  assert.deepEqual(states.sort(), ['failed', 'redirect', 'redirect', 'skipped', 'skipped']);
});

test('csv follows RFC 4180 and has no cell that a spreadsheet would run', async () => {
  const { stdout } = await exported('--format', 'csv');
  const lines = stdout.split('\r\n');
  assert.equal(lines[0], EXPORT_FIELDS.join(','));
  assert.equal(lines.length, 1 + 16 + 1);
  assert.equal(lines.at(-1), '');
  assert.ok(lines[1]!.includes(`"'=HYPERLINK(""http://evil.test"",""a,b"")\x1b[2J`));
  assert.equal(csvCell('a "b"\nc'), '"a ""b""\nc"');
  for (const start of ['=', '+', '-', '@', '\t']) assert.equal(csvCell(`${start}1`), `'${start}1`);
  // Full-width, small, superscript and subscript signs, and characters that some programs skip before a sign.
  for (const start of [
    '＝',
    '＋',
    '－',
    '＠',
    '﹦',
    '﹢',
    '﹣',
    '﹫',
    '⁺',
    '⁼',
    '₋',
    ' =',
    '\u00a0@',
    '\ufeff=',
    '\u3000＝',
  ]) {
    assert.equal(csvCell(`${start}1`), `'${start}1`);
  }
  for (const text of ['a=1', '1-2', 'π', '（1）', '', "'", ' a']) assert.equal(csvCell(text), text);
  assert.equal(csvCell('\r1'), `"'\r1"`);
  assert.equal(csvCell(-1), '-1');
  assert.equal(csvCell(null), '');
});

test('warc has exactly the committed records and can be read by another implementation', async () => {
  const output = join(crawl.dir, 'all.warc.gz');
  assert.equal((await exported('--format', 'warc', '--output', output)).exitCode, 0);
  assert.equal(readFileSync(output).length, crawl.committedBytes);
  const targets: string[] = [];
  for await (const record of new WARCParser(createReadStream(output))) {
    if (record.warcType === 'response' || record.warcType === 'revisit') targets.push(record.warcTargetURI ?? '');
    await record.skipFully();
  }
  assert.deepEqual(
    targets,
    ['/', '/a', '/b', '/copy', '/old', '/gone', '/older'].map((path) => SITE + path),
  );
});

test('warc refuses an archive that lost bytes before anything is written', async (t) => {
  const damaged = await makeSmallCrawl();
  t.after(() => removeCrawl(damaged));
  const [file] = readdirSync(join(damaged.dir, 'archive'));
  truncateSync(join(damaged.dir, 'archive', file!), damaged.committedBytes - 1);
  const output = join(damaged.dir, 'out.warc.gz');
  const run = await runCli('export', '--dir', damaged.dir, '--format', 'warc', '--output', output);
  assert.equal(run.exitCode, 1);
  assert.match(run.stderr, /\[ERR_ARCHIVE\]/);
  assert.deepEqual(
    readdirSync(damaged.dir).filter((name) => name.startsWith('out')),
    [],
  );
});

test('cdxj has one line per capture in byte order', async () => {
  const { stdout } = await exported('--format', 'cdxj');
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 7);
  assert.deepEqual(lines, [...lines].sort());
  assert.match(
    lines[0]!,
    /^test,site\)\/ 20251115094640 \{"url": "http:\/\/site\.test\/", "mime": "text\/html", "status": "200"/,
  );
});

test('the file of --output appears complete or not at all, and replaces a file only with --force', async () => {
  const output = join(crawl.dir, 'rows.jsonl');
  writeFileSync(output, 'mine');
  const refused = await exported('--output', output);
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /exists; add --force.*\[ERR_BAD_OPTION\]/);
  assert.equal(readFileSync(output, 'utf8'), 'mine');
  const forced = await exported('--output', output, '--force');
  assert.equal(forced.exitCode, 0);
  assert.equal(forced.stdout, '');
  assert.equal(readFileSync(output, 'utf8').trimEnd().split('\n').length, 16);
  assert.deepEqual(
    readdirSync(crawl.dir).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('bad usage gets a message with the right usage', async () => {
  const runs = await Promise.all([
    exported('--format', 'jsnl'),
    exported('--state', 'faild'),
    exported('--format', 'warc', '--state', 'failed'),
    exported('--output', join(crawl.dir, 'no-folder', 'x')),
    runCli('export', '--dir', '/nonexistent-folder'),
  ]);
  assert.deepEqual(
    runs.map(({ exitCode }) => exitCode),
    [2, 2, 2, 2, 1],
  );
  assert.match(runs[0]!.stderr, /did you mean jsonl\? \[ERR_BAD_OPTION\]/);
  assert.match(runs[1]!.stderr, /did you mean failed\? \[ERR_BAD_OPTION\]/);
  assert.match(runs[2]!.stderr, /\[ERR_USAGE\]/);
  assert.match(runs[4]!.stderr, /\[ERR_NO_CRAWL\]/);
  for (const { stdout } of runs) assert.equal(stdout, '');
});
