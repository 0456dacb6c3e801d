import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../../../src/watcher/records.ts';
import { Collapse } from '../../../src/watcher/report/collapse.ts';
import { SiteInMemory } from './site-in-memory.ts';

/** The reported changes of a site that has /a and /b. */
async function entryLines(history: (site: SiteInMemory) => Promise<void>, unsureUpTo = 0): Promise<string[]> {
  const site = new SiteInMemory();
  site.begin(['/a', '/b']);
  await history(site);
  const collapse = new Collapse(unsureUpTo);
  for (const change of await site.changes(0, 1_000)) collapse.add(change);
  const entries = collapse.entries();
  assert.equal(collapse.entryCount, entries.length);
  return entries.map(
    ({ kind, page: { url }, from, to }) => `${kind} ${url}${from ? ` from ${from}` : ''}${to ? ` to ${to}` : ''}`,
  );
}

const cases: readonly [string, (site: SiteInMemory) => Promise<void>, readonly string[]][] = [
  [
    'new and then updated is new',
    async (site) => {
      await site.put('/c', '1');
      await site.put('/c', '2');
    },
    ['new /c'],
  ],
  [
    'updated and back to the old content gives no entry',
    async (site) => {
      await site.put('/a', '1');
      await site.put('/a', 'content of /a');
    },
    [],
  ],
  [
    'updated twice is updated',
    async (site) => {
      await site.put('/a', '1');
      await site.put('/a', '2');
    },
    ['updated /a'],
  ],
  [
    'deleted and created again is updated',
    async (site) => {
      await site.remove('/a');
      await site.put('/a', '1');
    },
    ['updated /a'],
  ],
  [
    'deleted and created again with the same content gives no entry',
    async (site) => {
      await site.remove('/a');
      await site.put('/a', 'content of /a');
    },
    [],
  ],
  [
    'new and deleted gives no entry',
    async (site) => {
      await site.put('/c', '1');
      await site.remove('/c');
    },
    [],
  ],
  [
    'updated and deleted is deleted',
    async (site) => {
      await site.put('/a', '1');
      await site.remove('/a');
    },
    ['deleted /a'],
  ],
  [
    'both entries of a move name each other, whichever was recorded first',
    async (site) => {
      await site.move('/a', '/c', false);
      await site.move('/b', '/d', true);
    },
    ['deleted /a to /c', 'new /c from /a', 'new /d from /b', 'deleted /b to /d'],
  ],
  [
    'several moves in a row name the first and the last URL',
    async (site) => {
      await site.move('/a', '/c', false);
      await site.move('/c', '/d', true);
      await site.put('/d', '1');
    },
    ['deleted /a to /d', 'new /d from /a'],
  ],
  [
    'moved and moved back gives no entry',
    async (site) => {
      await site.move('/a', '/c', false);
      await site.move('/c', '/a', false);
    },
    [],
  ],
  [
    'a page that was created and moved is new at its last URL only',
    async (site) => {
      await site.put('/c', '1');
      await site.move('/c', '/d', false);
    },
    ['new /d'],
  ],
  [
    'moved and then deleted is deleted',
    async (site) => {
      await site.move('/a', '/c', false);
      await site.remove('/c');
    },
    ['deleted /a'],
  ],
  [
    'moved away and replaced by another page is not a move',
    async (site) => {
      await site.move('/a', '/c', false);
      await site.put('/a', '1');
    },
    ['updated /a', 'new /c'],
  ],
  [
    'a page that moves to the URL of a deleted page is an update there',
    async (site) => {
      await site.remove('/b');
      await site.move('/a', '/b', false);
    },
    ['updated /b', 'deleted /a to /b'],
  ],
  [
    'two pages that swap URLs are updated',
    async (site) => {
      await site.move('/a', '/t', false);
      await site.move('/b', '/a', false);
      await site.move('/t', '/b', false);
    },
    ['updated /a', 'updated /b'],
  ],
];

for (const [name, history, expected] of cases) {
  test(name, async () => assert.deepEqual(await entryLines(history), expected));
}

test('if it is unknown what the reader knows, the current state is reported', async () => {
  const back = async (site: SiteInMemory) => {
    await site.put('/a', '1');
    await site.put('/a', 'content of /a');
    await site.put('/c', '1');
    await site.remove('/c');
    await site.put('/b', '1');
    await site.put('/b', 'content of /b');
  };
  assert.deepEqual(await entryLines(back, 4), ['updated /a', 'deleted /c']);
  assert.deepEqual(await entryLines(back, 0), []);
});

test('a file that replaces another file at the same URL is an update', () => {
  const site = new SiteInMemory();
  const [one, other] = ['0/a.html', '0/a/index.html'].map((key) => ({ ...site.pageOf('/a', key), key }));
  const base = { atMs: 0, from: null, to: null };
  const gone: Change = { ...base, seq: 1, kind: 'deleted', page: one!, was: one!.hash };
  const there: Change = { ...base, seq: 2, kind: 'new', page: other!, was: null };
  for (const order of [
    [gone, there],
    [there, gone],
  ]) {
    const collapse = new Collapse();
    for (const change of order) collapse.add(change);
    const [entry, ...rest] = collapse.entries();
    assert.deepEqual([entry!.kind, entry!.page.hash, rest.length], ['updated', other!.hash, 0]);
  }
});

test('a deleted file that had replaced another file leaves no page behind', () => {
  const site = new SiteInMemory();
  const page = (key: string, content: string) => ({ ...site.pageOf('/a', content), key });
  const [first, second, third] = [page('0/a/index.htm', '1'), page('0/a/index.htm', '2'), page('0/a/index.html', '3')];
  const base = { atMs: 0, from: null, to: null };
  const changes: Change[] = [
    { ...base, seq: 1, kind: 'updated', page: second!, was: first!.hash },
    { ...base, seq: 2, kind: 'updated', page: third!, was: second!.hash },
    { ...base, seq: 3, kind: 'deleted', page: third!, was: third!.hash },
  ];
  const collapse = new Collapse();
  for (const change of changes) collapse.add(change);
  assert.deepEqual(
    collapse.entries().map(({ kind }) => kind),
    ['deleted'],
  );
});

test('content without a known hash always counts as changed', () => {
  const page = { ...new SiteInMemory().pageOf('/a', 'x'), hash: '' };
  const collapse = new Collapse();
  collapse.add({ seq: 1, kind: 'updated', atMs: 0, page, was: '', from: null, to: null });
  assert.equal(collapse.entries()[0]!.kind, 'updated');
});
