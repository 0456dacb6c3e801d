/**
 * Tests the output of the reading commands for pages that were visited again, on a real
 * site that changes between real refreshes.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type LivingSite, startLivingSite } from '../../testbed/web/living-site.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { refreshHere } from '../crawl/refresh/refresh-here.ts';
import { runCli } from './setup/run-cli.ts';

const SILENT = 24;

let site: LivingSite;
let dir: string;
/** The time that the sitemap gives. */
let changedAt: string;
const closing: (() => Promise<void>)[] = [];

const page = (title: string, words: string, links: readonly string[] = ['/']): string =>
  `<!doctype html><title>${title}</title><main><h1>${title}</h1><p id="story">${words}</p></main>
  ${links.map((href) => `<a href="${href}">to ${href}</a>`).join('\n')}`;

const silent = Array.from({ length: SILENT }, (_, i) => `/silent/${i}`);
const sitemap = (news: string): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${['/news', ...silent]
    .map(
      (path) =>
        `<url><loc>${site.web.url(path)}</loc><lastmod>${path === '/news' ? news : '2020-01-01'}</lastmod></url>`,
    )
    .join('')}</urlset>`;

before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-refreshed-'));
  site = await startLivingSite({ after: (callback) => closing.push(callback) });
  const { origin } = site.web;
  const leaves = ['/news', '/lost', '/ill', '/alone', '/shaky', ...silent];
  site.set('/robots.txt', `Sitemap: ${origin}/sitemap.xml\n`, 'text/plain');
  site.set('/sitemap.xml', sitemap('2020-01-01'), 'application/xml');
  site.set('/', page('Front', 'All that there is.', leaves));
  for (const path of leaves) site.set(path, page(`Page ${path}`, 'An orb web has about thirty radii.'));
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });

  site.set('/news', page('News', 'An orb web has forty radii, and a hub.'));
  site.set('/shaky', `${page('Page /shaky', 'An orb web has about thirty radii.')}<!-- made at noon -->`);
  changedAt = new Date().toISOString();
  site.set('/sitemap.xml', sitemap(changedAt), 'application/xml');
  site.pages.set('/lost', { status: 410 });
  site.set(
    '/',
    page(
      'Front',
      'All that there is.',
      leaves.filter((path) => path !== '/alone'),
    ),
  );
  await refreshHere(dir);

  site.pages.set('/ill', { status: 500 });
  await refreshHere(dir, { sources: false });
});
after(async () => {
  for (const close of closing) await close();
  rmSync(dir, { recursive: true, force: true });
});

async function said(command: string, path: string, ...words: string[]): Promise<string> {
  const target = path === '' ? [] : [site.web.url(path)];
  const { stdout, stderr, exitCode } = await runCli(command, ...target, '--dir', dir, ...words);
  assert.deepEqual([exitCode, stderr], [0, '']);
  return stdout;
}

test('history shows how often a page was visited, how often it changes, and what changed', async () => {
  const text = await said('history', '/news');
  assert.match(text, /\nVisited 3 times, last on .* UTC; 1 change, about one every [\d.]+ seconds?\.\n/);
  assert.match(text, /\n2 responses in the archive, newest first\.\n/);
  assert.match(text, /changed .*\+\d+ −\d+ words {2}own content: text; \w+; at .*p/);
  assert.match(text, / first .*text\/html\n$/);
  const { total, visits, looks, besides } = JSON.parse(await said('history', '/news', '--json'));
  assert.deepEqual([total, looks.length, besides], [2, 2, []]);
  assert.deepEqual([visits.looks, visits.changes, visits.noise], [3, 1, 0]);
  assert.ok(visits.changesADay > 1_000, `${visits.changesADay} a day, of looks within seconds`);
  const { kind, at, reason, change } = looks[0].noted;
  assert.deepEqual([kind, at, reason], ['changed', looks[0].fetchedAt, null]);
  assert.deepEqual(Object.keys(change), [
    'kinds',
    'band',
    'shared',
    'wordsAdded',
    'wordsRemoved',
    'levels',
    'regions',
    'image',
    'noise',
  ]);
  assert.ok(change.kinds.includes('text'));
  assert.equal(looks[1].noted, null);
});

test('history of a page that never changed shows for how long; visits with the same content leave no record', async () => {
  const text = await said('history', '/silent/3');
  assert.match(
    text,
    /\nVisited 3 times, last on .*; no change seen in [\d.]+ seconds?\.\n1 response in the archive, newest/,
  );
});

test('history separates noise from changes and names the noise rule', async () => {
  const text = await said('history', '/shaky');
  assert.match(text, /no change seen in .* seconds?; 1 visit found only noise\./);
  assert.match(text, / noise .*hidden: other; only noise: comment\n/);
  const { looks } = JSON.parse(await said('history', '/shaky', '--json'));
  assert.deepEqual(
    [looks[0].found, looks[0].noted.kind, looks[0].noted.level, looks[0].noted.change.noise],
    ['changed', 'noise', 'hidden', ['comment']],
  );
});

test('history lists an orphaned page as a change without a response in the archive', async () => {
  const text = await said('history', '/alone');
  assert.match(text, /UTC {2}orphaned +no page links to it any more\n/);
  const { besides } = JSON.parse(await said('history', '/alone', '--json'));
  assert.deepEqual(
    besides.map(({ kind, reason, change }: Record<string, unknown>) => [kind, reason, change]),
    [['orphaned', null, null]],
  );
  assert.match(await said('explain', '/alone'), /Since .* UTC no page in the copy links to it\. It is kept/);
});

test('explain shows when and why a page is gone, and how to print its last version', async () => {
  assert.match(await said('history', '/lost'), / gone 410 .*the server says 410 \[gone\]\n/);
  const text = await said('explain', '/lost');
  assert.match(text, /\nGone: the server says 410 \[gone\]\.\nThe visit on .* found that the page no longer exists\./);
  const [, at] = /To print the last version: orbweaver show \S+ --at (\S+) --dir \S+\n/.exec(text)!;
  assert.match(await said('show', '/lost', '--at', at!), /<h1>Page \/lost<\/h1>/);
  assert.doesNotMatch(text, /To print it:/);
  const { state, goneAt, lastContentAt } = JSON.parse(await said('explain', '/lost', '--json'));
  assert.deepEqual([state, lastContentAt], ['gone', at]);
  assert.ok(goneAt > lastContentAt);
});

test('explain shows why the last visit failed, that the page is kept, and when it is tried again', async () => {
  const text = await said('explain', '/ill');
  assert.match(text, /\nFetched on .* with status 200/);
  assert.match(
    text,
    /But the last visit failed: the server says 5xx \[server-error\]\. The copy keeps its page\. It is tried again/,
  );
  const { trouble, failures, triedAgainAt, goneAt } = JSON.parse(await said('explain', '/ill', '--json'));
  assert.deepEqual([trouble, failures, goneAt], ['server-error', 1, null]);
  assert.ok(Date.parse(triedAgainAt) > 0);
});

test('explain shows the claim of a sitemap, whether the sitemap is trusted, and the chance of a change', async () => {
  const text = await said('explain', '/news');
  assert.match(text, /A sitemap or feed says that it changed on .* UTC\.\n/);
  assert.match(
    text,
    /The sitemaps and feeds of its host are trusted: 0 of \d\d visits to unreported pages found a change, and 1 of 1/,
  );
  const { claim, chance } = JSON.parse(await said('explain', '/news', '--json'));
  assert.deepEqual([claim.changedAt, claim.isNews, claim.verdict], [changedAt, false, 'believed']);
  assert.deepEqual([claim.evidence.confirmed, claim.evidence.missed], [1, 0]);
  const { pages } = JSON.parse(await said('refresh', '', '--dry-run', '--show', '100', '--json'));
  const planned = pages.find(({ url }: { url: string }) => url === site.web.url('/ill'));
  const front = JSON.parse(await said('explain', '/', '--json'));
  const plannedFront = pages.find(({ url }: { url: string }) => url === site.web.url('/'));
  const { triedAgainAt } = JSON.parse(await said('explain', '/ill', '--json'));
  // A very busy machine can need longer for the commands above than the page has to wait.
  const isDue = Date.now() >= Date.parse(triedAgainAt);
  assert.ok(planned === undefined || isDue, 'a failed page is not planned before its retry time');
  assert.ok(Math.abs(front.chance - plannedFront.chance) < 0.1, `${front.chance} and ${plannedFront.chance}`);
  assert.ok(chance === null || (chance >= 0 && chance <= 1));
});

test('status shows the last refresh, changes, gone pages and trusted sources', async () => {
  const status = JSON.parse(await said('status', '', '--json'));
  assert.equal(status.states.gone, 1);
  assert.ok(Math.abs(Date.parse(status.lastLookAt) - Date.now()) < 120_000);
  const [{ host, verdict, confirmed, missed }] = status.sources;
  assert.deepEqual([host, verdict, confirmed, missed], [site.web.origin, 'believed', 1, 0]);
  const text = await said('status', '');
  assert.match(text, /\nLast refresh: .* UTC\. Changes recorded: \d+\. Pages gone: 1\.\n/);
  assert.ok(text.includes(`Changes recorded: ${status.changes}.`));
  assert.match(text, /sitemaps and feeds of .*\n +http:\/\/127\.0\.0\.1:\d+ +trusted +1 +0 +0 +\d+\n/);
});

test('export has the visits to each URL in its last fields', async () => {
  const rows = (await said('export', ''))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const row = (path: string) => rows.find(({ url }) => url === site.web.url(path));
  const { checkedAt, checks, changes, orphaned } = row('/news');
  assert.ok(Math.abs(Date.parse(checkedAt) - Date.now()) < 120_000);
  assert.deepEqual([checks, changes, orphaned], [2, 1, null]);
  assert.deepEqual([row('/silent/3').checks, row('/silent/3').changes], [2, 0]);
  assert.ok(Date.parse(row('/alone').orphaned) > 0);
  assert.equal(row('/lost').state, 'gone');
});

test('--every without --watch is refused', async () => {
  const { stderr, exitCode } = await runCli('refresh', '--dir', dir, '--every', '5m');
  assert.equal(exitCode, 2);
  assert.match(stderr, /--every needs --watch: .* \[ERR_USAGE\]/);
});
