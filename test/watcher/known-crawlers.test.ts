/**
 * W7 with the real watcher and real crawls: crawlers that the owner knows get the lease before
 * all others, and no crawler keeps others out.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VisitedSite } from '../../testbed/watcher/visited-site.ts';
import { runCliIn } from '../cli/setup/run-cli.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import { bundle } from './built-watcher.ts';

const KEY = 'a-key-of-some-length';
const PAGES = 20;

async function watchedSite(t: TestContext, ...watcherWords: string[]): Promise<VisitedSite> {
  const folder = await mkdtemp(join(tmpdir(), 'known-'));
  const keys = join(folder, 'keys');
  await writeFile(keys, `weaver:${KEY}\n`, { mode: 0o600 });
  const words = ['--lease-keys', keys, ...watcherWords];
  const plan = { folder, watcher: bundle.path, pages: PAGES, crawlers: 0, every: '1s', watcherWords: words };
  const site = await VisitedSite.open(plan);
  t.after(() => site.close());
  return site;
}

async function takeAs(site: VisitedSite, holder: string): Promise<Record<string, unknown>> {
  const query = `?take=${holder}&for=999999999&limit=0`;
  const answer = await fetch(`http://127.0.0.1:${site.watcherPort}/.well-known/orbweaver-report${query}`);
  assert.equal(answer.status, 200);
  return JSON.parse((await answer.text()).split('\n')[0]!).lease;
}

async function json(env: NodeJS.ProcessEnv, ...words: string[]) {
  const { stdout, stderr, exitCode } = await runCliIn(env, ...words, '--json');
  assert.equal(exitCode, 0, stderr);
  return { summary: JSON.parse(stdout), stderr };
}

test('W7 an anonymous request for one year blocks nobody, and a known crawler still gets the lease', async (t) => {
  const site = await watchedSite(t);
  const { host } = new URL(site.origin);
  const { until } = await takeAs(site, 'evil');
  assert.ok(Date.parse(String(until)) < Date.now() + 121_000, String(until));

  const unknown = dataFolder(t);
  const first = await json({}, 'crawl', `${site.origin}/`, '--dir', unknown, '--lease-wait', '1s');
  assert.deepEqual([first.summary.pages, first.summary.waiting], [PAGES + 1, 0]);
  assert.deepEqual([first.summary.withoutLease[0].heldBy, first.summary.withoutLease[0].waitedSeconds], ['evil', 1]);

  const known = dataFolder(t);
  const env = { ORBWEAVER_LEASE_KEY: `${host}|weaver:${KEY}` };
  const second = await json(env, 'crawl', `${site.origin}/`, '--dir', known, '--lease-wait', '600s');
  assert.deepEqual([second.summary.pages, second.summary.withoutLease], [PAGES + 1, undefined]);

  await takeAs(site, 'evil-again');
  await site.change();
  const led = await json(env, 'refresh', '--dir', known, '--lease-wait', '600s');
  assert.deepEqual([led.summary.watchers[0].lease, led.summary.left], ['given', 0]);
  // The key is a secret: it is in no file and in no message.
  for (const name of readdirSync(known, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) assert.ok(!readFileSync(join(name.parentPath, name.name)).includes(KEY), name.name);
  }
  const wrong = { ORBWEAVER_LEASE_KEY: `${host}|weaver:another-key-of-length` };
  const third = await json(wrong, 'refresh', '--dir', known, '--lease-wait', '0s');
  assert.match(third.stderr, /does not accept the name and key of --lease-key.*continuing as an unknown crawler/);
  assert.deepEqual([third.summary.watchers[0].stance, third.summary.left], ['leading', 0]);
  for (const said of [second.stderr, led.stderr, third.stderr, site.watcherSaid]) {
    assert.ok(!said.includes(KEY) && !said.includes('another-key-of-length'), said);
  }
});

test('W7 if only known crawlers may take the lease, others get none and do not wait', async (t) => {
  const site = await watchedSite(t, '--lease-for', 'known');
  assert.deepEqual(await takeAs(site, 'evil'), { by: 'none', held: false });
  const crawl = await json({}, 'crawl', `${site.origin}/`, '--dir', dataFolder(t), '--lease-wait', '600s');
  assert.deepEqual([crawl.summary.pages, crawl.summary.withoutLease], [PAGES + 1, undefined]);
});
