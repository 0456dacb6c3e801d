/** Tests the index of a crawl in a database: each machine makes its own, from the archive files that it can read. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { SITE_PAGES, site } from '../../../cli/setup/cluster-site.ts';
import { type CliRun, runCliIn } from '../../../cli/setup/run-cli.ts';
import { noPostgres, testDatabase } from '../../../setup/postgres.ts';
import { dataFolder } from '../../stored-crawl.ts';
import { indexedPages } from './indexed-pages.ts';

test('orbweaver index --store makes the index of this machine, and names the files that are elsewhere', {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const dir = dataFolder(t);
  const url = await testDatabase(t);
  const run = (...words: string[]): Promise<CliRun> => runCliIn({ ORBWEAVER_STORE: url }, ...words);
  const seed = await site(t);
  await run('crawl', seed, '--plan');
  const folders = [join(dir, 'blue'), join(dir, 'red')];
  const ends = await Promise.all(
    ['blue', 'red'].map((name, i) => run('work', '--worker', name, '--archive', folders[i]!, '--json')),
  );
  for (const { exitCode, stderr } of ends) assert.equal(exitCode, 0, stderr);
  const here = join(dir, 'new', 'index');
  const index = async (...archives: string[]) => {
    const flags = archives.flatMap((folder) => ['--archive', folder]);
    const { stdout, stderr, exitCode } = await run('index', '--dir', here, '--json', ...flags);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  const half = await index(folders[0]!);
  assert.equal(half.pages + half.unread.pages, SITE_PAGES);
  if (half.unread.pages > 0) assert.match(half.unread.files[0].problem, /is in .*red, written by worker red/);
  const whole = await index(...folders);
  assert.deepEqual([whole.pages, whole.unread.pages, whole.followers[0].isDone], [SITE_PAGES, 0, true]);
  const page = indexedPages(here).get(`${seed}3`)!;
  assert.match(page.blocks.join(' '), /number 3 says 23757/);
  const { search } = JSON.parse((await run('status', '--dir', here, '--json')).stdout);
  assert.deepEqual([search.pages, search.behind], [SITE_PAGES, 0]);
});
