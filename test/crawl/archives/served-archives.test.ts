/** Tests readers of a crawl in a database whose archive files are on other machines, with real workers that serve them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolveClusterOptions } from '../../../src/core/options/cluster-options.ts';
import { startIndex } from '../../../src/crawl/following/search/run-index.ts';
import type { CrawlPlace } from '../../../src/crawl/place/crawl-place.ts';
import { readStoreAt } from '../../../src/crawl/place/open-store.ts';
import { LATEST_MS, readCopy } from '../../../src/crawl/place/read-archived.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { runCliIn } from '../../cli/setup/run-cli.ts';
import { MAIN } from '../../setup/built-program.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';
import { dataFolder } from '../stored-crawl.ts';

const PATHS = ['/', '/1', '/2', '/3'];
const TOKEN = 'a token of all machines';

test('an index on another machine has the pages of all workers that serve their archives, and names those that do not', {
  skip: noPostgres,
}, async (t) => {
  const dir = dataFolder(t);
  const url = await testDatabase(t);
  const env = { ORBWEAVER_STORE: url, ORBWEAVER_ARCHIVE_TOKEN: TOKEN };
  const seeds = new Map<string, string>();
  for (const name of ['blue', 'red']) {
    const site = await startLivingSite(t);
    for (const [i, path] of PATHS.entries()) {
      site.set(path, `<title>${name} ${i}</title><p>Page ${i} of ${name} is here. <a href="/${i + 1}">on</a>`);
    }
    seeds.set(name, site.web.url('/'));
    await runCliIn(env, 'crawl', site.web.url('/'), '--plan', '--add');
    const { exitCode, stderr } = await runCliIn(env, 'work', '--worker', name, '--archive', join(dir, name));
    assert.equal(exitCode, 0, stderr);
  }
  const workers = ['blue', 'red'].map((name): { child: ChildProcess; ended: Promise<unknown> } => {
    const words = ['work', '--worker', name, '--archive', join(dir, name), '--stay', '--serve-archive', '0'];
    const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
  });
  const elsewhere = (name: string, archiveToken: string | null): CrawlPlace => ({
    ...{ dir: join(dir, name), archives: [join(dir, name, 'archive')] },
    cluster: { url, name: 'crawl', archiveToken },
  });
  const store = await readStoreAt(elsewhere('reader', TOKEN));
  t.after(() => store.close());
  while ((await store.cluster!.workers()).filter(({ serves }) => serves != null).length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const index = (name: string) => startIndex({ place: elsewhere(name, TOKEN), sources: [], rebuild: false }).summary;
  const all = await index('all');
  assert.deepEqual([all.pages, all.unread.pages], [2 * PATHS.length, 0]);

  const read = (token: string | null) => readCopy(store, elsewhere('reader', token), `${seeds.get('red')}3`, LATEST_MS);
  assert.match(String((await read(TOKEN))!.body), /Page 3 of red/);
  await assert.rejects(read('not the token of them'), { code: 'ERR_ELSEWHERE', message: /refused the token/ });
  await assert.rejects(read(null), { code: 'ERR_ELSEWHERE', message: /written by worker red#\d+; add --archive/ });

  const [, red] = workers;
  red!.child.kill('SIGINT');
  await red!.ended;
  const half = await index('half');
  assert.deepEqual([half.pages, half.unread.pages], [PATHS.length, PATHS.length]);
  const problem = /written by worker red#\d+, and no worker that is alive serves it; add --archive/;
  assert.match(half.unread.files[0]!.problem, problem);
  // A reader that knew where the file was served learns that it is not any more.
  await assert.rejects(read(TOKEN), { code: 'ERR_ELSEWHERE', message: problem });
});

test('a served archive needs an address that others can reach and a long secret, which no message repeats', async () => {
  const given = (options: object) => resolveClusterOptions([{ from: 'test', given: { ...options } }]);
  assert.deepEqual(given({ serveArchive: '7070' }).serveArchive, { host: '127.0.0.1', port: 7070 });
  assert.deepEqual(given({ serveArchive: '[::1]:0' }).serveArchive, { host: '::1', port: 0 });
  for (const address of ['0.0.0.0:7070', '[::]:7070', 'a/b:1', 'host:70000', 'host', ' ']) {
    assert.throws(() => given({ serveArchive: address }), { code: 'ERR_BAD_OPTION' }, address);
  }
  assert.throws(
    () => given({ archiveToken: 'short password' }),
    (error: Error) => /at least 16/.test(error.message) && !error.message.includes('short password'),
  );
  const { exitCode, stderr } = await runCliIn(
    { ORBWEAVER_STORE: 'postgres://127.0.0.1:1/none' },
    ...['work', '--serve-archive', '7070'],
  );
  assert.equal(exitCode, 2);
  assert.match(stderr, /ORBWEAVER_ARCHIVE_TOKEN.*\[ERR_SECRET_MISSING\]/);
});
