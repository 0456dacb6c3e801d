/**
 * W12: tests that a unit that dies is replaced. The page that killed it is recorded as our fault, another unit fetches
 * the rest of its work, and the crawl ends as if nothing had happened.
 *
 * The crawls run in this process, where Node announces every new thread, so that the test can end a thread at a
 * chosen moment. The pages claim to be pictures, which are archived without compression: Node does not survive the
 * end of a thread in the middle of a compression.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listen } from '../../../src/core/events.ts';
import type { OptionSource } from '../../../src/core/options/option-table.ts';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { startCrawl } from '../../../src/crawl/crawl.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { assertSound, dataFolder, fates, storedUrls } from '../stored-crawl.ts';
import { LONG_URL, linksThatTakeLong, untilStuck, watchUnits } from './watched-units.ts';

const PAGES = 600;
const KILLS = 2;
/** Long enough that a unit is replaced before the others have done all its work. */
const ANSWER_MS = 20;

function watchWarnings(t: TestContext): string[] {
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  return warnings;
}

interface Site extends LocalWeb {
  /** Called for each requested page, with the number of pages requested so far. */
  onPage: (asked: number) => void;
}

async function startSite(t: TestContext, ...others: readonly string[]): Promise<Site> {
  const web = await startWeb();
  t.after(() => web.close());
  const site: Site = Object.assign(web, { onPage: () => {} });
  const paths = [...others, ...Array.from({ length: PAGES - 1 }, (_, i) => `/p${i}`)];
  let asked = 0;
  web.on('/robots.txt', reply('', {}, 404));
  web.on('/', reply(paths.map((path) => `<a href="${path}">x</a>`).join('')));
  web.on('/p*', (visit) => {
    site.onPage(++asked);
    setTimeout(() => reply(`page ${visit.path}`, { 'content-type': 'image/png' })(visit), ANSWER_MS);
  });
  return site;
}

function given(more: GivenOptions): OptionSource[] {
  // The thread of the search index is no unit.
  return [{ from: 'test', given: { patience: '0s', concurrency: 16, search: false, ...more } }];
}

async function fetchedPages(dir: string): Promise<number> {
  const stored = fates((await storedUrls(dir)).values());
  return Object.values(stored).filter((fate) => fate === 'fetched').length;
}

for (const unitCount of [1, 2]) {
  test(`W12 M2 units that die in the middle of work lose nothing (${unitCount} units)`, async (t) => {
    const units = watchUnits(t);
    const warnings = watchWarnings(t);
    const web = await startSite(t);
    let killed = 0;
    web.onPage = (asked) => {
      // Kills the youngest unit each time, after the previous one has been replaced.
      if (killed === KILLS || asked < 50 * (killed + 1) || units.length < unitCount + killed) return;
      killed++;
      void units.at(-1)!.terminate();
    };
    const dir = dataFolder(t);
    const summary = await startCrawl({ dir, seeds: [web.url('/')], sources: given({ units: unitCount }) }).summary;
    assert.equal(summary.ending, 'done');
    assert.equal(killed, KILLS);
    assert.equal(warnings.filter((message) => message.includes('died')).length, KILLS);
    const stored = fates((await storedUrls(dir)).values());
    const others = Object.values(stored).filter((fate) => fate !== 'fetched');
    // A unit that is ended from outside may have been working on a page, which then gets the blame.
    assert.ok(others.length <= KILLS && others.every((fate) => fate === 'failed/internal-error'), others.join());
    assert.equal(Object.keys(stored).length, PAGES);
    await assertSound(dir);
  });
}

test('W12 a page that kills a unit becomes an internal error, is not retried, and no other page is lost', async (t) => {
  const units = watchUnits(t);
  const web = await startSite(t, '/deadly');
  web.on('/deadly', reply(linksThatTakeLong(web.url('/'))));
  const dir = dataFolder(t);
  const crawl = startCrawl({
    dir,
    seeds: [web.url('/')],
    sources: given({ units: 1, maxUrlLength: LONG_URL, depth: 1 }),
  });
  await web.ledger.seen('/deadly');
  await untilStuck(units[0]!);
  await units[0]!.terminate();
  const summary = await crawl.summary;
  assert.equal(summary.ending, 'done');
  assert.equal((await storedUrls(dir)).get(web.url('/deadly'))?.reason, 'internal-error');
  assert.equal(await fetchedPages(dir), PAGES);
  assert.equal(web.ledger.count('/deadly'), 1);
  await assertSound(dir);
});

test('W12 a unit that dies while the crawl stops does not prevent the stop', async (t) => {
  const units = watchUnits(t);
  const web = await startSite(t, '/held');
  web.on('/held', () => {});
  const dir = dataFolder(t);
  const crawl = startCrawl({ dir, seeds: [web.url('/')], sources: given({ units: 2 }) });
  await web.ledger.seen('/held');
  crawl.stop();
  for (const unit of units.slice(0, 2)) await unit.terminate();
  assert.equal((await crawl.summary).ending, 'interrupted');
  await assertSound(dir);
});
