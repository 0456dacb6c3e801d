/** Tests the effect of visits on the copy, and the changes that they record. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { at, copyOf, HOUR_MS } from '../looking-again.ts';
import { capture, commit, everything, FILE, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const ARCHIVE = { archive: new Map([[FILE, 1_000]]) };
const THREE = {
  seed: { body: 'seed' },
  a: { body: 'body of a', links: ['seed'] },
  b: { body: 'b', links: ['a', 'seed'] },
} as const;

export function changesContract(open: OpenStore): void {
  test('a changed page has its new content, links and counts, and the change is recorded', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, THREE);
    const sight = {
      body: 'other',
      more: { etag: '"9"', language: 'de' },
      links: ['b'],
      foundLinks: [found(at('found'))],
      capture: capture(100),
      change: '{"text":1}',
    };
    assert.equal(await copy.look('a', 'changed', sight, ARCHIVE), 'fetched');
    const record = await recordOf(store, at('a'));
    assert.deepEqual(
      [record.title, record.language, record.bytes, record.digest, record.outlinks, record.checkedAtMs],
      ['Title of other', 'de', 5, `sha256:${page('other').digest}`, 2, copy.nowMs],
    );
    assert.deepEqual(record.capture, capture(100));
    assert.equal((await recordOf(store, at('found'))).via, at('a'));
    const { counts } = await everything(store);
    assert.equal(counts.bytes, 'seed'.length + 'other'.length + 'b'.length);
    assert.equal(counts.wireBytes, 2 + 5 + 1 + 3);
    assert.deepEqual(await store.backlinks(['seed', 'a', 'b'].map((path) => copy.id(path))), [1, 2, 2]);
    assert.deepEqual(
      (await store.linksFrom(copy.id('a'))).map(({ url }) => url),
      [at('b'), at('found')],
    );
    assert.deepEqual(await copy.changes(), [
      {
        seq: 1,
        id: copy.id('a'),
        url: at('a'),
        atMs: NOW_MS + HOUR_MS,
        kind: 'changed',
        title: 'Title of other',
        reason: null,
        change: '{"text":1}',
        level: null,
        part: null,
        edit: null,
      },
    ]);
  });

  test('the class of a change is recorded with it, and a page keeps the hashes of its regions', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, THREE);
    const more = { regions: new Uint8Array([1, 2, 255]), wordCounts: new Uint8Array([7, 0]) };
    const classified = { level: 'layout', part: 'template', edit: '0123456789abcdef' } as const;
    await copy.look('a', 'changed', { body: 'other', more, classified });
    const [entry] = await copy.changes();
    assert.deepEqual({ level: entry!.level, part: entry!.part, edit: entry!.edit }, classified);
    assert.deepEqual(await copy.changeOf('a'), [entry]);
    const earlier = async () => {
      const [{ earlier } = {}] = await store.revisits([copy.id('a')]);
      return { regions: earlier!.regions, wordCounts: earlier!.wordCounts };
    };
    const plain = ({ regions, wordCounts }: Awaited<ReturnType<typeof earlier>>) => [[...regions!], [...wordCounts!]];
    assert.deepEqual(plain(await earlier()), [
      [1, 2, 255],
      [7, 0],
    ]);
    await copy.look('a', 'same');
    assert.deepEqual(plain(await earlier()), [
      [1, 2, 255],
      [7, 0],
    ]);
    await copy.look('a', 'changed', { body: 'third' });
    assert.deepEqual(await earlier(), { regions: null, wordCounts: null }, 'the hashes belong to the current content');
  });

  test('a change can be described after it was recorded, and keeps its first description', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, THREE);
    await copy.look('a', 'changed', { body: 'other' });
    await copy.look('b', 'changed', { body: 'b2', change: '{"text":1}' });
    await store.describeChanges([
      { seq: 1, change: '{"text":"late"}' },
      { seq: 2, change: '{"text":"again"}' },
      { seq: 99, change: '{"text":"unknown"}' },
    ]);
    await store.describeChanges([]);
    assert.deepEqual(
      (await copy.changes()).map(({ change }) => change),
      ['{"text":"late"}', '{"text":1}'],
    );
  });

  test('removed links are subtracted even after counting, and links that stay are not counted twice', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, THREE);
    const backlinks = () => store.backlinks(['seed', 'a', 'b'].map((path) => copy.id(path)));
    await store.countLinks();
    await copy.look('b', 'changed', { body: 'b2', links: ['a', 'seed'] });
    assert.deepEqual(await backlinks(), [2, 2, 1], 'the same links');
    await copy.look('b', 'changed', { body: 'b3', links: ['b', 'a'] });
    assert.deepEqual(await backlinks(), [1, 2, 1], 'a link to itself does not count');
    await store.countLinks();
    assert.deepEqual(await backlinks(), [1, 2, 1]);
    await copy.look('b', 'gone', { reason: 'gone' });
    await store.countLinks();
    assert.deepEqual(await backlinks(), [1, 1, 1]);
    assert.deepEqual(await store.linksFrom(copy.id('b')), []);
    assert.deepEqual(
      (await store.linksTo(copy.id('seed'), 9)).map(({ url }) => url),
      [at('a')],
    );
  });

  test('a page that is gone leaves the copy, but its captures and history stay', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, THREE);
    await copy.look('a', 'noise', { body: 'A', capture: capture(100), change: '{}' }, ARCHIVE);
    assert.equal(
      await copy.look('a', 'gone', { reason: 'gone', capture: capture(300, { status: 410 }) }, ARCHIVE),
      'gone',
    );
    const { state, reason, title, digest, bytes, outlinks } = await recordOf(store, at('a'));
    assert.deepEqual([state, reason, title, digest, bytes, outlinks], ['gone', 'gone', '', '', 0, 0]);
    assert.equal((await copy.visit('a')).state, 'none');
    const { counts, captures } = await everything(store);
    assert.equal(captures.length, 2);
    assert.deepEqual([counts.states.gone, counts.states.fetched, counts.reasons.gone, counts.bytes], [1, 2, 1, 5]);
    assert.equal((await store.hosts(0, 1))[0]?.fetched, 2);
    assert.deepEqual(
      (await copy.changeOf('a')).map(({ kind, reason, title }) => [kind, reason, title]),
      [
        ['gone', 'gone', 'Title of A'],
        ['noise', null, 'Title of A'],
      ],
    );
    const [task] = await store.revisits([copy.id('a')]);
    assert.equal(task?.earlier?.digest, '');
    assert.equal(await copy.look('a', 'gone', { reason: 'gone' }), 'gone');
    assert.equal((await copy.changes()).length, 2, 'it is gone once');
    await copy.look('a', 'changed', { body: 'back' });
    assert.deepEqual(await copy.changeWords(), ['noise a', 'gone a', 'returned a']);
    assert.deepEqual(await copy.states(['a']), ['fetched']);
  });

  test('a moved page is a redirect, a page after a redirect has changed, a page after a failure is new', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, {
      ...THREE,
      broken: { state: 'failed', reason: 'not-found' },
      old: { state: 'redirect', redirectTo: found(at('seed')) },
    });
    assert.equal(await copy.look('a', 'moved', { redirectTo: found(at('b')) }), 'redirect');
    const moved = await recordOf(store, at('a'));
    assert.deepEqual([moved.state, moved.redirectTo, moved.digest], ['redirect', at('b'), '']);
    assert.equal((await copy.visit('a')).state, 'redirect');
    await copy.look('a', 'moved', { redirectTo: found(at('b')) });
    await copy.look('a', 'moved', { redirectTo: found(at('new')) });
    assert.equal((await recordOf(store, at('a'))).redirectTo, at('new'));
    await copy.look('old', 'changed', { body: 'old' });
    assert.deepEqual([(await recordOf(store, at('old'))).redirectTo, (await copy.visit('old')).state], [null, 'page']);
    await copy.look('broken', 'changed', { body: 'mended' });
    assert.deepEqual(await copy.changeWords(), ['moved a', 'moved a', 'changed old', 'new broken']);
    const { counts } = await everything(store);
    assert.deepEqual([counts.states.redirect, counts.states.failed, counts.states.fetched], [1, 0, 4]);
  });

  test('a page that redirects back to itself is kept: one of the two visits may be older than the change', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { ...THREE, old: { state: 'redirect', redirectTo: found(at('a')) } });
    for (const [times, path] of ['old', 'a'].entries()) {
      assert.equal(await copy.look('a', 'moved', { redirectTo: found(at(path)) }), 'fetched');
      const { state, reason, trouble, digest } = await recordOf(store, at('a'));
      assert.deepEqual([state, reason, trouble, digest === ''], ['fetched', null, 'redirect-loop', false]);
      const { failures, state: kind, checkedAtMs } = await copy.visit('a');
      assert.deepEqual([failures, kind, checkedAtMs], [times + 1, 'page', copy.nowMs]);
    }
    const before = await everything(store);
    assert.deepEqual((await store.commit(copy.last!)).states, [null]);
    assert.deepEqual(await everything(store), before);
    assert.deepEqual([before.counts.reasons, await copy.changes()], [{}, []]);
    await copy.look('old', 'changed', { body: 'old' });
    assert.equal(await copy.look('a', 'moved', { redirectTo: found(at('old')) }), 'redirect');
    assert.deepEqual([(await copy.visit('a')).failures, (await recordOf(store, at('a'))).trouble], [0, null]);
    assert.deepEqual(await copy.changeWords(), ['changed old', 'moved a']);
  });

  test('a page that becomes forbidden leaves the copy and returns when it is allowed again', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, THREE);
    assert.equal(await copy.look('a', 'refused', { reason: 'robots-disallowed' }), 'skipped');
    const { state, reason, digest } = await recordOf(store, at('a'));
    assert.deepEqual([state, reason, digest], ['skipped', 'robots-disallowed', '']);
    const { state: kind, checkedAtMs } = await copy.visit('a');
    assert.deepEqual([kind, checkedAtMs], ['none', copy.nowMs], 'it is tried again after the longest interval');
    assert.equal(await copy.look('a', 'refused', { reason: 'robots-disallowed' }), 'skipped');
    assert.equal(await copy.look('a', 'same', { reason: 'robots-disallowed' }), 'skipped');
    assert.equal((await copy.visit('a')).checkedAtMs, copy.nowMs);
    assert.deepEqual(
      (await copy.changes()).map(({ kind, reason }) => [kind, reason]),
      [['gone', 'robots-disallowed']],
      'told once',
    );
    assert.equal(await copy.look('a', 'changed', { body: 'a' }), 'fetched');
    assert.deepEqual(await copy.changeWords(), ['gone a', 'returned a']);
    const { counts } = await everything(store);
    assert.deepEqual([counts.states.skipped, counts.reasons], [0, {}]);
  });

  test('a forbidden page that is allowed again but missing is gone without a new change', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { ...THREE, broken: { state: 'failed', reason: 'not-found' } });
    await copy.look('a', 'refused', { reason: 'robots-disallowed' });
    assert.equal(await copy.look('a', 'same', { reason: 'not-found' }), 'gone');
    assert.equal(await copy.look('a', 'refused', { reason: 'robots-disallowed' }), 'gone');
    assert.equal(await copy.look('broken', 'refused', { reason: 'robots-disallowed' }), 'failed');
    assert.deepEqual(await copy.changeWords(), ['gone a']);
    assert.deepEqual((await everything(store)).counts.reasons, { 'not-found': 2 });
  });

  test('new pages are reported if the copy was complete before, and numbers continue after a restart', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, THREE);
    assert.deepEqual([await copy.changes(), await store.lastChange()], [[], 0]);
    await copy.look('a', 'changed', { body: 'a2', foundLinks: ['x', 'y', 'z', 'copy'].map((path) => found(at(path))) });
    const tasks = await store.claimMore(copy.hostId, { limit: 9, besides: new Set(), nowMs: copy.nowMs });
    const lost = { state: 'failed', reason: 'not-found' } as const;
    const answers = [{ page: page('x') }, { page: page('y') }, lost, { page: page('x') }];
    const results = tasks.map((task, i) => resultOf(copy, task, answers[i]!));
    await commit(store, results, { tellNew: true });
    await commit(store, results, { tellNew: true });
    assert.deepEqual(await copy.changeWords(), ['changed a', 'new x', 'new y'], 'a copy is no news');
    const all = await copy.changes();
    assert.deepEqual(await store.changes(1, 1), [all[1]]);
    assert.equal(await store.lastChange(), all.at(-1)!.seq);
  });

  test('the new relevance of a changed page counts', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { seed: { body: 'seed', more: { relevance: 0.9 } } });
    const topic = async () => {
      const { judged, onTopic } = await store.counts();
      return [judged, onTopic];
    };
    assert.deepEqual(await topic(), [1, 1]);
    await copy.look('seed', 'changed', { body: 'off', more: { relevance: 0 } });
    assert.deepEqual(await topic(), [1, 0]);
    await copy.look('seed', 'gone', { reason: 'gone' });
    assert.deepEqual(await topic(), [0, 0]);
  });

  test('a URL with an ignored parameter is replaced by its stand-in only while the lesson holds', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { ...THREE, 'p?s=1': { body: 'p' } });
    const sight = { reason: 'ignored-parameter', standIn: found(at('p')) } as const;
    assert.equal(await copy.look('p?s=1', 'refused', sight), null);
    assert.deepEqual(await copy.states(['p?s=1']), ['fetched']);
  });
}
