/** Tests readers of a crawl in a database whose archive files are on other machines, with real workers that serve them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { readStoreAt } from '../../../src/crawl/place/open-store.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { runCliIn } from '../../cli/setup/run-cli.ts';
import { MAIN } from '../../setup/built-program.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';
import { dataFolder } from '../stored-crawl.ts';

const SITE_PAGES = 4;
const TOKEN = 'a token of all machines';

test('an index on another machine has the pages of all workers that serve their archives, and names those that do not', {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const dir = dataFolder(t);
  const url = await testDatabase(t);
  const env = { ORBWEAVER_STORE: url, ORBWEAVER_ARCHIVE_TOKEN: TOKEN };
  const folderOf = (name: string) => join(dir, name);
  const seeds = new Map<string, string>();
  for (const name of ['blue', 'red']) {
    const site = await startLivingSite(t);
    for (const [i, path] of ['/', '/1', '/2', '/3'].entries()) {
      site.set(path, `<title>${name} ${i}</title><p>The page ${i} of ${name} says <a href="/${i + 1}">on</a>`);
    }
    const seed = site.web.url('/');
    seeds.set(name, seed);
    await runCliIn(env, 'crawl', seed, '--plan', '--add');
    const { exitCode, stderr } = await runCliIn(env, 'work', '--worker', name, '--archive', folderOf(name));
    assert.equal(exitCode, 0, stderr);
  }
  const workers = ['blue', 'red'].map((name): { child: ChildProcess; ended: Promise<unknown> } => {
    const words = ['work', '--worker', name, '--archive', folderOf(name), '--stay', '--serve-archive', '0'];
    const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  });
  const store = await readStoreAt({ dir, archives: [], cluster: { url, name: 'crawl' } });
  t.after(() => store.close());
  while ((await store.cluster!.workers()).filter(({ serves }) => serves != null).length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const index = async (name: string) => {
    const { stdout, stderr, exitCode } = await runCliIn(env, 'index', '--dir', join(dir, name), '--json');
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  const all = await index('all');
  assert.deepEqual([all.pages, all.unread.pages], [2 * SITE_PAGES, 0]);
  const found = await runCliIn(env, 'search', 'says', '--dir', join(dir, 'all'), '--json');
  assert.equal(JSON.parse(found.stdout).total, 2 * SITE_PAGES);

  const redPage = `${seeds.get('red')}3`;
  const show = (given: NodeJS.ProcessEnv) => runCliIn(given, 'show', redPage, '--dir', join(dir, 'none'));
  assert.match((await show(env)).stdout, /The page 3 of red says/);
  const wrong = await show({ ...env, ORBWEAVER_ARCHIVE_TOKEN: 'not the token of them' });
  assert.equal(wrong.exitCode, 1);
  assert.match(wrong.stderr, /refused the token/);
  const without = await show({ ORBWEAVER_STORE: url });
  assert.match(without.stderr, /written by worker red/);
  const short = await show({ ...env, ORBWEAVER_ARCHIVE_TOKEN: 'short' });
  assert.match(short.stderr, /at least 16 characters/);
  assert.doesNotMatch(short.stderr, /"short"/);

  const [, red] = workers;
  red!.child.kill('SIGINT');
  await red!.ended;
  const half = await index('half');
  assert.deepEqual([half.pages, half.unread.pages], [SITE_PAGES, SITE_PAGES]);
  const status = JSON.parse((await runCliIn(env, 'status', '--dir', join(dir, 'half'), '--json')).stdout);
  assert.match(
    status.search.unread.files[0].problem,
    /written by worker red#\d+, and no worker that is alive serves it/,
  );
});
