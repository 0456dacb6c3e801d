/** Readers of random histories: whatever they ask, with whatever limits, they end with the current state. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '../../../src/watcher/report/cursor.ts';
import { draftLastChanges, draftReport, type ReportDraft } from '../../../src/watcher/report/draft-report.ts';
import { drawing, SiteInMemory, sourceOf } from './site-in-memory.ts';

interface Entry {
  readonly url: string;
  readonly change: string;
  readonly seq: number;
  readonly rank: number;
  readonly hash?: string;
  readonly from?: string;
  readonly to?: string;
}

const entriesOf = (draft: ReportDraft): Entry[] => draft.lines.map(({ line }) => JSON.parse(line) as Entry);

/** A crawler written from docs/watcher-report.md. */
class Reader {
  cursor: string | null = null;
  pages = new Map<string, string>();
  /** The pages that the current listing has named so far. */
  #named: Map<string, string> | null = null;
  reported = 0;
  moves = 0;

  take(draft: ReportDraft, limit: number): void {
    const entries = entriesOf(draft);
    assert.ok(entries.length <= limit, `${entries.length} entries`);
    assert.equal(new Set(entries.map(({ url }) => url)).size, entries.length, 'one entry per URL');
    const order = entries.map(({ rank, url }) => [-rank, url] as const);
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)),
    );
    if (draft.listing) this.#list(draft, entries);
    else for (const entry of entries) this.#apply(entry, entries, draft.since!.includes('~'));
    this.cursor = draft.cursor;
    this.reported += entries.length;
  }

  #list(draft: ReportDraft, entries: readonly Entry[]): void {
    if (draft.since === null) this.#named = new Map();
    else assert.equal(draft.since, this.cursor);
    for (const { url, hash } of entries) this.#named!.set(url, hash!);
    if (!draft.more) this.pages = this.#named!;
  }

  /** Changes that arrived during a listing may be reported although the reader knows them. */
  #apply({ url, change, hash, from, to }: Entry, all: readonly Entry[], isAfterListing: boolean): void {
    const had = this.pages.get(url);
    if (change === 'deleted') {
      assert.ok(had !== undefined || isAfterListing, `${url} is deleted, but was not there`);
      this.pages.delete(url);
    } else {
      assert.ok(had !== hash || isAfterListing, `${url} is as it was`);
      if (!isAfterListing) assert.equal(change, had === undefined ? 'new' : 'updated', url);
      this.pages.set(url, hash!);
    }
    const other = all.find((entry) => entry.url === (from ?? to));
    if (from !== undefined) {
      this.moves++;
      if (other !== undefined) assert.equal(other.change, 'deleted', `${url} came from ${from}`);
    }
    if (to !== undefined && other !== undefined) assert.notEqual(other.change, 'deleted', `${url} went to ${to}`);
  }
}

async function ask(site: SiteInMemory, reader: Reader, limit: number): Promise<boolean> {
  const since = reader.cursor === null ? null : parseCursor(reader.cursor);
  assert.ok(reader.cursor === null || since !== null, `${reader.cursor} is no cursor`);
  const draft = await draftReport(sourceOf(site), { since, limit });
  reader.take(draft, limit);
  return draft.more;
}

async function happen(site: SiteInMemory, draw: (below: number) => number): Promise<void> {
  const url = () => `/p${draw(12)}.html`;
  const what = draw(10);
  if (what < 4) await site.put(url(), `content ${draw(3)}`);
  else if (what < 6) await site.remove(url());
  else if (what < 9) await site.move(url(), url(), draw(2) === 0);
  else {
    const [a, b] = [url(), url()];
    await site.move(a, '/t', false);
    await site.move(b, a, false);
    await site.move('/t', b, true);
  }
}

test('readers with any limit end with the current state and get no entry for an unchanged page', async () => {
  let moves = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const draw = drawing(seed);
    const site = new SiteInMemory();
    site.begin(['/', '/p1.html', '/p2.html', '/p3.html', '/p4.html']);
    const readers = Array.from({ length: 4 }, () => new Reader());
    for (let step = 0; step < 60; step++) {
      await happen(site, draw);
      for (const reader of readers) {
        if (draw(4) === 0) await ask(site, reader, 1 + draw(6));
        else if (draw(40) === 0) site.drop(site.lastSeq - draw(10));
      }
    }
    for (const reader of readers) {
      for (let rounds = 0; await ask(site, reader, 1 + draw(6)); rounds++) assert.ok(rounds < 500, 'it ends');
      // Changes that arrived during a listing come with the next request.
      while (await ask(site, reader, 10_000));
      assert.deepEqual([...reader.pages].sort(), [...site.state()].sort(), `seed ${seed}`);
      const { reported } = reader;
      assert.equal(await ask(site, reader, 10_000), false);
      assert.equal(reader.reported, reported, 'then there are no more entries');
      moves += reader.moves;
    }
  }
  assert.ok(moves > 300, `${moves} moves were reported`);
});

test('a cursor of another memory, or one that is too old, gets a listing of the current state', async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const draw = drawing(seed);
    const before = new SiteInMemory('older');
    before.begin(['/gone.html', '/p1.html']);
    const reader = new Reader();
    while (await ask(before, reader, 1));
    const site = new SiteInMemory('newer');
    site.begin(['/p1.html', '/p2.html', '/p3.html']);
    for (let i = 0; i < 20; i++) await happen(site, draw);
    while (await ask(site, reader, 2)) {
      await happen(site, draw);
      if (draw(5) === 0) site.drop(site.lastSeq);
    }
    while (await ask(site, reader, 3));
    assert.deepEqual([...reader.pages].sort(), [...site.state()].sort(), `seed ${seed}`);
    for (let i = 0; i < 20; i++) await happen(site, draw);
    site.drop(site.lastSeq - 3);
    while (await ask(site, reader, 3));
    while (await ask(site, reader, 3));
    assert.deepEqual([...reader.pages].sort(), [...site.state()].sort(), `seed ${seed}, too old`);
  }
});

test('the last changes in a plain file are right for readers with any cursor in between', async () => {
  for (let seed = 1; seed <= 100; seed++) {
    const draw = drawing(seed);
    const site = new SiteInMemory();
    site.begin(['/', '/p1.html', '/p2.html', '/p3.html']);
    const readers: { seq: number; pages: Map<string, string> }[] = [];
    for (let i = 0; i < 40; i++) {
      readers.push({ seq: site.lastSeq, pages: site.state() });
      await happen(site, draw);
    }
    const draft = await draftLastChanges(sourceOf(site), 30);
    assert.ok(draft.lines.length <= 30);
    const since = Number(draft.since!.split('.').at(-1));
    for (const { seq, pages } of readers.filter((reader) => reader.seq >= since)) {
      for (const { url, change, hash, seq: last } of entriesOf(draft)) {
        if (last <= seq) continue;
        if (change === 'deleted') pages.delete(url);
        else pages.set(url, hash!);
      }
      assert.deepEqual([...pages].sort(), [...site.state()].sort(), `seed ${seed}, from ${seq} on`);
    }
  }
});

test('many changes of few pages and few changes of many pages both fit in reports of bounded size', async () => {
  const site = new SiteInMemory();
  site.begin(Array.from({ length: 25_000 }, (_, i) => `/${i}.html`));
  const reader = new Reader();
  let parts = 1;
  while (await ask(site, reader, 10_000)) parts++;
  assert.equal(parts, 3);
  for (let i = 0; i < 25_000; i++) await site.put(`/${i % 12_000}.html`, `now ${i}`);
  // New pages that are deleted again appear in no report, but they fill the memory in which a report is built.
  for (let i = 0; i < 11_000; i++) {
    await site.put(`/short/${i}`, 'x');
    await site.remove(`/short/${i}`);
  }
  parts = 1;
  while (await ask(site, reader, 10_000)) parts++;
  assert.equal(parts, 4);
  assert.deepEqual([...reader.pages].sort(), [...site.state()].sort());
});
