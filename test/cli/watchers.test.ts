/** Tests what refresh, its preview, status and explain tell users about watchers. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startWatchedSite, type WatchedSite } from '../../testbed/web/watched-site.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { refreshHere } from '../crawl/refresh/refresh-here.ts';
import { dataFolder, edit as editStore } from '../crawl/stored-crawl.ts';
import { runCli } from './setup/run-cli.ts';

const PAGES = 100;

async function believed(t: TestContext): Promise<WatchedSite & { readonly dir: string }> {
  const site = await startWatchedSite(t, { pages: PAGES });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.site.web.url('/')], { patience: '0s' });
  editStore(dir, 'UPDATE watchers SET quiet = 100');
  return { ...site, dir };
}

test('a refresh prints the reports of a watcher and whether they were correct', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  for (const path of ['/page/1', '/page/2', '/page/3']) edit(path, `<p>${path} is told of.</p>`);
  const led = await runCli('refresh', '--dir', dir);
  assert.ok(
    led.stdout.includes(`${site.web.origin} has a watcher: 3 changes reported, 2 pages checked, all correct\n`),
    led.stdout,
  );
  watcher.misbehaves = 'vanished';
  const failed = await runCli('refresh', '--dir', dir);
  assert.match(failed.stdout, /has a watcher, but its report was not used: the site has no report\n/);
  assert.match(failed.stderr, /the report of the watcher of http:.* is not used: the site has no report/);
  watcher.misbehaves = null;
  watcher.held = { holder: 'someone-else', untilMs: Date.now() + 600_000, token: 'x' };
  edit('/page/4', '<p>Four is told of, too.</p>');
  const refused = await runCli('refresh', '--dir', dir, '--lease-wait', '1s');
  assert.match(refused.stdout, /^Up to date in .* 1 changed/m);
  assert.match(
    refused.stdout,
    /^Another crawler, someone-else, holds the lease of http:.* until .*: waited 1 s, then continued without it$/m,
  );
  const status = JSON.parse((await runCli('status', '--json', '--dir', dir)).stdout);
  assert.ok(Date.parse(status.watchers[0].leaseRefusedAt) > Date.now() - 60_000);
  const lines = (await runCli('status', '--dir', dir)).stdout;
  assert.match(lines, /Another crawler held the lease of http:.*: refreshes continue without it\./);
  assert.match(refused.stderr, /someone-else, holds the lease of http:.*waiting at most 1 s/);
});

test('a crawl of a site with a held lease says so and fetches its pages', async (t) => {
  const { site, watcher } = await startWatchedSite(t, { pages: 3 });
  watcher.held = { holder: 'evil', untilMs: Date.now() + 600_000, token: 'x' };
  const crawl = await runCli('crawl', site.web.url('/'), '--dir', dataFolder(t), '--lease-wait', '1s');
  assert.match(crawl.stdout, /^Done: 4 pages/m);
  assert.match(crawl.stdout, /^Another crawler, evil, holds the lease of http:.*continued without it$/m);
  const json = await runCli('crawl', site.web.url('/'), '--dir', dataFolder(t), '--lease-wait', '0s', '--json');
  const { pages, withoutLease } = JSON.parse(json.stdout);
  assert.deepEqual([pages, withoutLease[0].heldBy, withoutLease[0].waitedSeconds], [4, 'evil', 0]);
});

test('refresh --dry-run leaves out the pages of a trusted watcher', async (t) => {
  const { dir } = await believed(t);
  const planned = async (...words: string[]) =>
    JSON.parse((await runCli('refresh', '--dry-run', '--json', '--dir', dir, ...words)).stdout).planned as number;
  assert.deepEqual([await planned(), await planned('--no-watchers')], [0, PAGES + 1]);
});

test('status and explain describe the watcher', async (t) => {
  const { dir, edit, site } = await believed(t);
  edit('/page/5', '<p>Five is another.</p>');
  edit('/page/6', '<p>And six.</p>');
  await refreshHere(dir, { budget: 1 });
  const status = JSON.parse((await runCli('status', '--json', '--dir', dir)).stdout);
  const [watcher] = status.watchers;
  assert.deepEqual(Object.keys(watcher), [
    'host',
    'url',
    'verdict',
    'cursor',
    'readAt',
    'confirmed',
    'falseAlarms',
    'missed',
    'quiet',
    'leaseRefusedAt',
  ]);
  assert.deepEqual([watcher.verdict, watcher.cursor, watcher.confirmed], ['believed', 'e1.2', 1]);
  assert.match((await runCli('status', '--dir', dir)).stdout, /watcher of .*\n +http:\S+ +trusted/);
  const url = site.web.url('/page/6');
  const text = (await runCli('explain', url, '--dir', dir)).stdout;
  assert.match(text, /Its host has a watcher, which is trusted: 0 of 100 visits to unreported pages found a change/);
  assert.match(text, /It reported that this page has changed; the next refresh visits the page\./);
  const explained = JSON.parse((await runCli('explain', url, '--json', '--dir', dir)).stdout);
  assert.deepEqual([explained.watcher.mark, explained.watcher.verdict], ['changed', 'believed']);
});
