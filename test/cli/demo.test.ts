/** Tests the crawl of the demo web: it has a folder of its own, and later commands serve the same web again. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { MIGRATIONS } from '../../src/store/sqlite/schema.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import { runCliAt } from './setup/run-cli.ts';

test('the demo web has its own folder and is served again under its addresses', async (t) => {
  const cwd = dataFolder(t);
  const run = (...words: string[]) => runCliAt(cwd, ...words);
  const first = await run('crawl', '--limit', '4');
  assert.equal(first.exitCode, 0, first.stderr);
  assert.match(first.stderr, /^No URL given: crawling the demo web at http:\S+ into orbweaver-demo$/m);
  assert.match(first.stdout, /^Look at it: orbweaver status --dir orbweaver-demo /m);
  assert.ok(!existsSync(join(cwd, 'orbweaver-data')), 'the first crawl of the user begins empty');

  const refreshed = JSON.parse((await run('refresh', '--dir', 'orbweaver-demo', '--json')).stdout);
  assert.deepEqual([refreshed.unchanged, refreshed.failed, refreshed.gone], [4, 0, 0]);
  const more = JSON.parse((await run('crawl', '--limit', '6', '--json')).stdout);
  assert.deepEqual([more.pages, more.ending], [6, 'limit'], 'the command without a folder continues the demo');

  const { hostname, port } = new URL(/the demo web at (\S+)/.exec(first.stderr)![1]!);
  const other = createServer().listen(Number(port), hostname);
  await once(other, 'listening');
  t.after(() => other.close());
  const refused = await run('refresh', '--dir', 'orbweaver-demo');
  assert.equal(refused.exitCode, 1);
  const where = `${hostname}:${port}`.replaceAll('.', '\\.');
  assert.match(refused.stderr, new RegExp(`at ${where} and .*another program uses this port.*\\[ERR_DEMO_ADDRESS\\]`));
});

test('a folder without a crawl is refused if no URL is given, and is not created', async (t) => {
  const cwd = dataFolder(t);
  const { exitCode, stderr } = await runCliAt(cwd, 'crawl', '--dir', 'typo');
  assert.equal(exitCode, 2);
  assert.match(
    stderr,
    /^orbweaver: there is no crawl in typo to continue; .*orbweaver crawl <url> --dir typo; .*ERR_USAGE/,
  );
  assert.ok(!existsSync(join(cwd, 'typo')));
  const own = await runCliAt(cwd, 'crawl', '--dir', './orbweaver-demo', '--limit', '1');
  assert.equal(own.exitCode, 0, own.stderr);
});

test('a database without tables, and one of an older layout, are no copy of the demo web: a crawl completes them', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/', reply('<title>home</title>'));
  const layouts = ['CREATE TABLE t (x); DROP TABLE t', `${MIGRATIONS.slice(0, 4).join(';')}; PRAGMA user_version = 4`];
  for (const layout of layouts) {
    const dir = dataFolder(t);
    const db = new DatabaseSync(join(dir, 'crawl.db'));
    db.exec(layout);
    db.close();
    const { exitCode, stderr } = await runCliAt(dir, 'crawl', web.url('/'), '--dir', '.');
    assert.equal(exitCode, 0, stderr);
  }
});
