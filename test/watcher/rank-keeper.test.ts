import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { LeftOutPages, ReportedMemory } from '../../src/watcher/left-out-pages.ts';
import { SiteMemory } from '../../src/watcher/memory/site-memory.ts';
import { RankKeeper } from '../../src/watcher/rank-keeper.ts';
import type { Change, ChangeKind, WatchedPage } from '../../src/watcher/records.ts';

let folder: string;
let memory: SiteMemory;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watcher-ranks-'));
  memory = await SiteMemory.open(folder, systemClock);
});
afterEach(async () => {
  await memory.close();
  await rm(folder, { recursive: true });
});

function page(url: string, updates = 0): WatchedPage {
  const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1 };
  const hash = `${url.length}.${updates}`;
  return { key: `0${url}`, url, stamp, isFresh: false, hash, updates, changedAtMs: 1, seq: 0, events: [] };
}

function change(kind: ChangeKind, of: WatchedPage): Omit<Change, 'seq'> {
  return { kind, atMs: 1, page: of, was: kind === 'new' ? null : 'before', from: null, to: null };
}

async function listFirst(...pages: WatchedPage[]): Promise<void> {
  const listing = memory.firstListing();
  for (const each of pages.toSorted((left, right) => (left.key < right.key ? -1 : 1))) listing.add(each);
  await listing.finish(1, []);
}

function keeper(): RankKeeper {
  return new RankKeeper(memory, '/', async () => {});
}

const ranks = (of: RankKeeper, ...urls: [string, number][]) =>
  urls.map(([url, updates]) => of.rankOf({ url, updates }).rank);

test('W3 ranks follow changes, and are not ready before all pages are counted', async () => {
  await listFirst(page('/index.html'), page('/a.html'), page('/b/c/d.html'));
  const kept = keeper();
  assert.equal(kept.isReady, false);
  await kept.count();
  assert.equal(kept.isReady, true);
  assert.equal(kept.rankOf({ url: '/a.html', updates: 0 }).frequency, 0);
  const before = kept.rankKey();
  await memory.note([change('updated', page('/a.html', 1))]);
  await memory.note([change('updated', page('/a.html', 2))]);
  assert.equal(kept.rankOf({ url: '/a.html', updates: 2 }).frequency, 0.5);
  assert.equal(kept.rankOf({ url: '/a.html', updates: 1 }).frequency, 0.25);
  assert.notEqual(kept.rankKey(), before);
  await memory.note([change('deleted', page('/a.html', 2))]);
  assert.equal(
    kept.rankOf({ url: '/b/c/d.html', updates: 0 }).frequency,
    0,
    'all remaining pages have the same number',
  );
  kept.setMainLinks(['/b/c/d.html']);
  assert.equal(kept.rankOf({ url: '/b/c/d.html', updates: 0 }).level, 0.5);
  await kept.close();
});

test('stored counts are continued, and a pass over all pages gives the same counts', async () => {
  await listFirst(page('/index.html'), page('/a.html'));
  const first = keeper();
  await first.count();
  await first.keep();
  await first.close();
  // No keeper counts this change when it happens.
  await memory.note([change('updated', page('/a.html', 1)), change('new', page('/x/y/z/new.html'))]);
  const caughtUp = keeper();
  await caughtUp.count();
  await writeFile(join(folder, 'ranks.json'), '{"damaged');
  const counted = keeper();
  await counted.count();
  const of: [string, number][] = [
    ['/', 0],
    ['/a.html', 1],
    ['/x/y/z/new.html', 0],
  ];
  assert.deepEqual(ranks(caughtUp, ...of), ranks(counted, ...of));
  assert.equal(caughtUp.rankOf({ url: '/a.html', updates: 1 }).frequency, 0.5);
  assert.equal(caughtUp.rankKey(), counted.rankKey());
  await caughtUp.close();
  await counted.close();
});

test('a page that changes during the counting counts once', async () => {
  const pages = Array.from({ length: 1_200 }, (_, number) => page(`/p${String(number).padStart(5, '0')}.html`));
  await listFirst(...pages);
  let pauses = 0;
  const kept = new RankKeeper(memory, '/', async () => {
    pauses++;
    // One change of a page that was already counted, and one of a page that is still to be counted.
    if (pauses !== 1) return;
    await memory.note([
      change('updated', page('/p00001.html', 1)),
      change('updated', page('/p01199.html', 1)),
      change('deleted', page('/p00002.html')),
      change('deleted', page('/p01198.html')),
      change('new', page('/a/b/c/d/e/deep.html')),
    ]);
  });
  await kept.count();
  assert.ok(pauses >= 2, 'the work pauses');
  await memory.note([change('updated', page('/p00001.html', 2)), change('updated', page('/p01199.html', 2))]);
  assert.equal(kept.rankOf({ url: '/p00001.html', updates: 2 }).frequency, 0.5);
  await memory.note([change('deleted', page('/p00001.html', 2)), change('deleted', page('/p01199.html', 2))]);
  assert.equal(kept.rankOf({ url: '/p00003.html', updates: 0 }).frequency, 0, 'both counts are removed');
  await kept.close();
});

test('W6 log-ins and form targets are not reported, and a former log-in is reported again', async () => {
  await listFirst(page('/a.html'), page('/log-in.html'), page('/search.html'), page('/z.html'));
  const leftOut = await LeftOutPages.open(folder);
  leftOut.note('/log-in.html', ['/search.html', '/cgi/find'], true, () => false);
  await leftOut.keep();
  const again = await LeftOutPages.open(folder);
  const reported = new ReportedMemory(memory, again, () => true);
  assert.deepEqual(
    (await reported.pages(null, 10)).map(({ url }) => url),
    ['/a.html', '/z.html'],
  );
  assert.deepEqual(
    (await reported.pages(null, 1)).map(({ url }) => url),
    ['/a.html'],
  );
  assert.deepEqual(
    (await reported.pages('0/a.html', 1)).map(({ url }) => url),
    ['/z.html'],
  );
  await memory.note([change('updated', page('/search.html', 1)), change('updated', page('/a.html', 1))]);
  const changes = await reported.changes(0, 10);
  assert.deepEqual(
    changes.map(({ seq, page }) => [seq, reported.isReported(page.url)]),
    [
      [1, false],
      [2, true],
    ],
  );
  assert.equal(reported.epoch, memory.epoch);
  again.note('/log-in.html', [], false, () => true);
  assert.notEqual(reported.epoch, memory.epoch, 'readers without that change begin with a new listing');
  assert.deepEqual(
    (await reported.pages(null, 10)).map(({ url }) => url),
    ['/a.html', '/log-in.html', '/z.html'],
  );
  await writeFile(join(folder, 'left-out.json'), '[1');
  assert.equal((await LeftOutPages.open(folder)).count, 0);
});

test('a report is not ready before the ranks are ready', async () => {
  await listFirst(page('/a.html'));
  const leftOut = await LeftOutPages.open(folder);
  assert.equal(new ReportedMemory(memory, leftOut, () => false).isComplete, false);
  assert.equal(new ReportedMemory(memory, leftOut, () => true).isComplete, true);
});
