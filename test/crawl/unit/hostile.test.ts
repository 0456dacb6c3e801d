/**
 * Tests a crawl over servers that do everything wrong at once (C2, C4, P7): each bad URL ends with its reason, the
 * healthy host beside them is complete, the crawl ends by itself, and memory stays within bounds.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { BEHAVIOURS, type BehaviourName } from '../../../testbed/web/behaviours.ts';
import { AS_PAGE, fateBehind, NAMES, ROBOTS_NAMES } from '../../../testbed/web/fates.ts';
import { Ledger } from '../../../testbed/web/ledger.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { crawl } from '../crawl-process.ts';
import { assertSound, dataFolder, fates, storedUrls } from '../stored-crawl.ts';

const HEALTHY_PAGES = 300;

/** Short timeouts and no patience for retries. Links of hostile pages are beyond the depth limit. */
const SHORT = ['--headers-timeout', '5s', '--body-timeout', '5s', '--timeout', '10s', '--patience', '0s'];

async function startHost(t: TestContext, address: string, ledger: Ledger): Promise<LocalWeb> {
  const web = await startWeb({ address, ledger });
  t.after(() => web.close());
  return web;
}

/** A host with a start page that links to its own pages and to `others`. */
async function startHealthy(t: TestContext, ledger: Ledger, others: readonly string[]): Promise<LocalWeb> {
  const web = await startHost(t, '127.0.0.1', ledger);
  const own = Array.from({ length: HEALTHY_PAGES - 1 }, (_, i) => `/healthy/${i}`);
  web.on('/', reply([...others, ...own].map((href) => `<a href="${href}">x</a>`).join('\n')));
  web.on('/healthy/*', (visit) => reply(`<p>healthy ${visit.path}`)(visit));
  return web;
}

function healthyPages(stored: Record<string, string>, web: LocalWeb): number {
  return Object.entries(stored).filter(([url, fate]) => url.startsWith(web.origin) && fate === 'fetched').length;
}

// Both crawls mostly wait for timeouts, so they run side by side.
suite('servers that do everything wrong', { concurrency: 2 }, () => {
  test('C2 C4 P7 each bad page ends with its reason, and a healthy host is crawled completely', async (t) => {
    const ledger = new Ledger();
    const hosts = new Map<BehaviourName, LocalWeb>();
    for (const [i, name] of NAMES.entries()) hosts.set(name, await startHost(t, `127.0.1.${i + 1}`, ledger));
    const healthy = await startHealthy(
      t,
      ledger,
      NAMES.map((name) => hosts.get(name)!.bad(name)),
    );
    const dir = dataFolder(t);
    const words = ['--scope', 'any', '--depth', '1', '--max-body', '1mb', '--exclude', 'http://169.254.*', ...SHORT];
    const ended = await crawl(dir, healthy.url('/'), ...words);
    assert.equal(ended.exitCode, 0, ended.stderr);

    const records = await storedUrls(dir);
    const stored = fates(records.values());
    const seen = Object.fromEntries(NAMES.map((name) => [name, stored[hosts.get(name)!.bad(name)]]));
    assert.deepEqual(seen, AS_PAGE);
    assert.equal(healthyPages(stored, healthy), HEALTHY_PAGES);

    const hop = `${hosts.get('EndlessRedirects')!.bad('EndlessRedirects')}?hop=`;
    assert.equal(stored[`${hop}10`], 'redirect/too-many-redirects');
    assert.equal(stored[`${hop}11`], 'skipped/too-many-redirects');
    const loop = hosts.get('RedirectLoop')!.bad('RedirectLoop');
    assert.equal(stored[`${loop}?a`], 'failed/redirect-loop');
    // C4, P7: a failure that may be repaired has a time for its retry; a final failure has none.
    for (const [name, fate] of Object.entries(AS_PAGE)) {
      const record = records.get(hosts.get(name as BehaviourName)!.bad(name as BehaviourName))!;
      assert.equal(record.dueAtMs !== null, fate.startsWith('waiting'), name);
    }
    await assertSound(dir);
    t.diagnostic(`${ended.summary!.seconds} s, peak ${ended.summary!.peakRssMb} MB`);
  });

  test('each bad robots.txt closes its host or leaves it open, and the crawl continues', async (t) => {
    const ledger = new Ledger();
    const hosts = new Map<BehaviourName, LocalWeb>();
    for (const [i, name] of ROBOTS_NAMES.entries()) {
      const web = await startHost(t, `127.0.2.${i + 1}`, ledger);
      web.on('/robots.txt', BEHAVIOURS[name]());
      web.on('/page', reply(`page behind ${name}`));
      hosts.set(name, web);
    }
    const healthy = await startHealthy(
      t,
      ledger,
      ROBOTS_NAMES.map((name) => hosts.get(name)!.url('/page')),
    );
    const dir = dataFolder(t);
    const words = ['--scope', 'any', '--depth', '1', '--max-body', '1mb', ...SHORT];
    const ended = await crawl(dir, healthy.url('/'), ...words);
    assert.equal(ended.exitCode, 0, ended.stderr);

    const stored = fates((await storedUrls(dir)).values());
    const expected = Object.fromEntries(ROBOTS_NAMES.map((name) => [name, fateBehind(name)]));
    const seen = Object.fromEntries(ROBOTS_NAMES.map((name) => [name, stored[hosts.get(name)!.url('/page')]]));
    assert.deepEqual(seen, expected);
    for (const name of ROBOTS_NAMES) {
      const asked = ledger.of(hosts.get(name)!.host).filter(({ path }) => path === '/page').length;
      assert.equal(asked, fateBehind(name) === 'fetched' ? 1 : 0, name);
    }
    assert.equal(healthyPages(stored, healthy), HEALTHY_PAGES);
  });
});

const HEAVY: readonly BehaviourName[] = ['EndlessBody', 'GzipBomb', 'DeepDivs', 'MillionLinks'];
const HEAVY_HOSTS = 10;
/** Memory that a crawl with default options may need with 40 of the worst responses under way at once. */
const MAX_RSS_MB = 700;

test('40 of the largest responses at once stay within the memory limit', async (t) => {
  const ledger = new Ledger();
  const heavy: string[] = [];
  for (let i = 0; i < HEAVY_HOSTS; i++) {
    const web = await startHost(t, `127.0.3.${i + 1}`, ledger);
    for (const name of HEAVY) heavy.push(web.bad(name));
  }
  const healthy = await startHealthy(t, ledger, heavy);
  const dir = dataFolder(t);
  const ended = await crawl(dir, healthy.url('/'), '--scope', 'any', '--depth', '1', '--patience', '0s');
  assert.equal(ended.exitCode, 0, ended.stderr);
  const stored = fates((await storedUrls(dir)).values());
  const ends = new Set(heavy.map((url) => stored[url]));
  // The same bytes cut at the same place are one content, so all but the first of a kind are duplicates of the first.
  assert.deepEqual([...ends].sort(), ['duplicate/duplicate-content', 'fetched/body-too-large']);
  assert.equal(healthyPages(stored, healthy), HEALTHY_PAGES);
  t.diagnostic(`peak ${ended.summary!.peakRssMb} MB in ${ended.summary!.seconds} s`);
  assert.ok(ended.summary!.peakRssMb < MAX_RSS_MB, `${ended.summary!.peakRssMb} MB`);
});

test('a small page with a huge base URL cannot fill the memory of a unit', async (t) => {
  const healthy = await startHealthy(t, new Ledger(), ['/huge-base']);
  const base = `<base href="${healthy.url('/')}${'b'.repeat(60_000)}/">`;
  healthy.on('/huge-base', reply(base + Array.from({ length: 10_000 }, (_, i) => `<a href="${i}">`).join('')));
  const dir = dataFolder(t);
  const ended = await crawl(dir, healthy.url('/'), '--depth', '1', '--patience', '0s');
  assert.equal(ended.exitCode, 0, ended.stderr);
  const records = await storedUrls(dir);
  assert.ok([...records.keys()].every((url) => url.length < 2_000));
  assert.equal(records.get(healthy.url('/huge-base'))?.state, 'fetched');
  assert.equal(healthyPages(fates(records.values()), healthy), HEALTHY_PAGES + 1);
});
