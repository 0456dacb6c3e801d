/** The schedule counts what counts as a change (`--level`), and nothing else. On a real web that changes meanwhile. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import type { VisitState } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder, storedUrls } from '../stored-crawl.ts';
import { refreshHere } from './refresh-here.ts';

const VISITS = 3;

/** Each page has one part that differs in each version. */
const PAGES: Readonly<Record<string, (version: number) => string>> = {
  '/content': (version) => article('', '', `There are ${version + 20} ships in the harbour.`),
  '/layout': (version) => article('', ` class="style-${'abc'[version % 3]}"`, 'The ships are in the harbour.'),
  '/hidden': (version) => article(`<meta name="description" content="Part ${version}">`, '', 'The ships have left.'),
};

function article(head: string, attributes: string, text: string): string {
  return `<!doctype html><title>Ships</title>${head}<h1>Ships</h1>
    <div${attributes}><p>This page says something about ships, at some length. ${text}</p></div>`;
}

/** The state of the schedule for each page, after some visits that each found another version. */
async function visitedPages(t: TestContext, given: GivenOptions): Promise<Map<string, VisitState>> {
  const site = await startLivingSite(t, 'none');
  const setVersion = (version: number) => {
    for (const [path, make] of Object.entries(PAGES)) site.set(path, make(version));
  };
  const paths = Object.keys(PAGES);
  site.set('/', paths.map((path) => `<a href="${path}">${path}</a>`).join(' '));
  setVersion(0);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')]);
  for (let version = 1; version <= VISITS; version++) {
    setVersion(version);
    await refreshHere(dir, given);
  }
  const urls = await storedUrls(dir);
  const store = readSqliteStore(dir);
  try {
    const visits = await store.visits(0, 100);
    const visitTo = (path: string) => visits.find(({ id }) => id === urls.get(site.web.url(path))!.id)!;
    return new Map(paths.map((path) => [path, visitTo(path)]));
  } finally {
    await store.close();
  }
}

const isSeen = ({ changes, quietMs }: VisitState) => [changes > VISITS - 1, quietMs > 0];

test('a change of the layout or of hidden parts does not count for the rate of a page', async (t) => {
  const visits = await visitedPages(t, {});
  assert.deepEqual(isSeen(visits.get('/content')!), [true, false]);
  for (const path of ['/layout', '/hidden']) {
    const { changes, changedLogMs, quietMs } = visits.get(path)!;
    assert.deepEqual([changes, changedLogMs, quietMs > 0], [0, 0, true], path);
  }
});

test('with --level hidden, every change of a version counts for the rate', async (t) => {
  const visits = await visitedPages(t, { level: 'hidden' });
  for (const path of Object.keys(PAGES)) assert.deepEqual(isSeen(visits.get(path)!), [true, false], path);
});
