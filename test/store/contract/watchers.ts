/**
 * Tests watchers of hosts: the changes in their reports, how far the reports were
 * read, and how far the watchers are trusted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlKeyHex } from '../../../src/url/key.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import { at, copyOf } from '../looking-again.ts';
import { commit, found, NOW_MS, OWNER, page, resultOf } from '../rows.ts';

const SITE = {
  front: { body: 'front' },
  a: { body: 'a' },
  b: { body: 'b' },
  lost: { state: 'failed', reason: 'not-found' },
  waits: { state: 'waiting', reason: 'server-error', failures: 1, dueAtMs: NOW_MS + 1e9 },
} as const;

const QUIET = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };

export function watchersContract(open: OpenStore): void {
  test('new fields of a watcher are stored, and the other fields stay', async (t) => {
    const { store, hostId } = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    assert.deepEqual(await store.watchers(), []);
    await store.noteWatcher(hostId, { askedAtMs: 5 }, NOW_MS);
    await store.noteWatcher(hostId, { url: at('report'), cursor: 'e.7', readAtMs: 6 }, NOW_MS);
    await store.noteWatcher(hostId, { askedAtMs: 9, outcomes: { ...QUIET, quiet: 3, confirmed: 1 } }, NOW_MS);
    await store.noteWatcher(hostId, { outcomes: { ...QUIET, quiet: 2, missed: 1, falseAlarms: 4 } }, NOW_MS);
    const record = { hostId, host: 'http://a.test', url: at('report'), cursor: 'e.7', askedAtMs: 9, readAtMs: 6 };
    const counts = { confirmed: 1, falseAlarms: 4, missed: 1, quiet: 5 };
    assert.deepEqual(await store.watchers(), [{ ...record, ...counts }]);
    await store.noteWatcher(hostId, { cursor: null }, NOW_MS);
    assert.equal((await store.watchers())[0]!.cursor, null);
  });

  test('old outcomes of a watcher fade', async (t) => {
    const { store, hostId } = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    for (let i = 0; i < 50; i++) await store.noteWatcher(hostId, { outcomes: { ...QUIET, quiet: 20 } }, NOW_MS);
    const { quiet } = (await store.watchers())[0]!;
    assert.ok(quiet >= 100 && quiet <= 220, `${quiet} looks`);
    await store.noteWatcher(hostId, { outcomes: { ...QUIET, missed: 6 } }, NOW_MS);
    const now = (await store.watchers())[0]!;
    assert.ok(now.missed / (now.missed + now.quiet) > 0.02, JSON.stringify(now));
  });

  test('the address of a report is kept until the report was read, and a different address is news', async (t) => {
    const { store, hostId } = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const manners = { askedAtMs: NOW_MS, delayMs: 0, blockedUntilMs: 0 };
    const hint = (report: string) => commit(store, [], { hosts: [{ hostId, manners, report }] });
    const told = async () => (({ url, askedAtMs }) => [url, askedAtMs])((await store.watchers())[0]!);
    await hint(at('here'));
    assert.deepEqual(await told(), [at('here'), 0]);
    await store.noteWatcher(hostId, { askedAtMs: 7 }, NOW_MS);
    await hint(at('here'));
    assert.deepEqual(await told(), [at('here'), 7]);
    await hint(at('there'));
    assert.deepEqual(await told(), [at('there'), 0]);
    await store.noteWatcher(hostId, { askedAtMs: 8, readAtMs: 8 }, NOW_MS);
    await hint(at('elsewhere'));
    assert.deepEqual(await told(), [at('there'), 8]);
  });

  test('a reported page stays marked until a visit to it is committed', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const { store, hostId } = copy;
    const marks = await store.noteWatcher(
      hostId,
      {
        cursor: 'e.9',
        found: [found(at('new')), found(at('trap'), { skip: 'trap-url-length' }), found(at('a'))],
        areOwed: true,
        patternBudget: 10,
        marks: [
          { id: copy.id('a'), mark: 'changed' },
          { id: copy.id('b'), mark: 'gone' },
          { id: copy.id('front'), mark: 'untold' },
        ],
      },
      NOW_MS,
    );
    const [fresh, , known] = marks;
    assert.equal(known, copy.id('a'));
    const all = async () => Object.fromEntries((await store.marks(hostId, 0, 99)).map(({ id, mark }) => [id, mark]));
    assert.deepEqual(await all(), {
      [copy.id('front')]: 'untold',
      [copy.id('a')]: 'changed',
      [copy.id('b')]: 'gone',
      [fresh!]: 'changed',
    });
    assert.deepEqual(await store.marks(hostId, copy.id('a'), 1), [{ id: copy.id('b'), mark: 'gone' }]);
    await copy.look('a', 'changed', { body: 'a 2' }, { marks: [{ id: copy.id('a'), hostId, mark: null }] });
    const result = resultOf(copy, { id: fresh!, url: at('new') }, { page: page('new') });
    await commit(store, [result], { marks: [{ id: fresh!, hostId, mark: 'untold' }] });
    // A result that does not count does not change its mark either.
    await commit(store, [result], { marks: [{ id: fresh!, hostId, mark: null }] });
    await commit(store, [], { marks: [{ id: copy.id('b'), hostId, mark: null }] });
    assert.deepEqual(await all(), { [copy.id('front')]: 'untold', [copy.id('b')]: 'gone', [fresh!]: 'untold' });
  });

  test('a report is compared with the pages of the copy by key', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const { store, hostId } = copy;
    const keys = ['a', 'nobody', 'lost', 'waits'].map((path) => urlKeyHex(at(path)));
    const known = await store.knownPages(hostId, keys);
    assert.deepEqual(
      known.map((one) => one && [one.id, one.state, one.digest]),
      [
        [copy.id('a'), 'fetched', page('a').digest],
        null,
        [copy.id('lost'), 'failed', ''],
        [copy.id('waits'), 'waiting', ''],
      ],
    );
    assert.deepEqual(await store.knownPages(hostId + 1, keys.slice(0, 1)), [null]);
  });

  test('the pages of a host are read in batches by key, without URLs that were never answered', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const { store, hostId } = copy;
    const seen: string[] = [];
    for (let after = ''; ; after = seen.at(-1)!) {
      const some = await store.hostPages(hostId, after, 2);
      if (some.length === 0) break;
      seen.push(...some.map(({ key }) => key));
    }
    assert.deepEqual(seen, ['front', 'a', 'b', 'lost'].map((path) => urlKeyHex(at(path))).sort());
    const visits = await store.visitsOf([copy.id('b'), copy.id('waits'), copy.id('a'), 99]);
    assert.deepEqual(visits, [await copy.visit('a'), await copy.visit('b')]);
  });

  test('W13 news about a watcher from a worker without the lease of the host is not stored', async (t) => {
    const { store, hostId, ids } = await copyOf(await freshStore(t, open, NOW_MS), SITE);
    const marks = [{ id: ids.get('a')!, mark: 'gone' as const }];
    await store.noteWatcher(hostId, { owner: 'stranger', cursor: 'e.1', marks }, NOW_MS);
    assert.deepEqual([await store.watchers(), await store.marks(hostId, 0, 9)], [[], []]);
    await store.noteWatcher(hostId, { owner: OWNER, cursor: 'e.2', marks }, NOW_MS);
    assert.equal((await store.watchers())[0]!.cursor, 'e.2');
    assert.equal((await store.marks(hostId, 0, 9)).length, 1);
  });

  test('the reports of a watcher survive the end of the process', async (t) => {
    const dir = temporaryFolder(t);
    const first = await open(dir, NOW_MS);
    const { hostId, ids } = await copyOf(first, SITE);
    await first.noteWatcher(hostId, { cursor: 'e.1', marks: [{ id: ids.get('a')!, mark: 'gone' }] }, NOW_MS);
    await first.close();
    const store = await open(dir, NOW_MS);
    t.after(() => store.close());
    assert.equal((await store.watchers())[0]!.cursor, 'e.1');
    assert.deepEqual(await store.marks(hostId, 0, 9), [{ id: ids.get('a')!, mark: 'gone' }]);
  });
}
