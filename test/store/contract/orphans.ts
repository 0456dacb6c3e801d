/** Tests that pages without any link to them are reported once, until a page links to them again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { at, copyOf, type LookedAt } from '../looking-again.ts';
import { commit, found, linksTo, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const CHAIN = {
  seed: { body: 'seed' },
  a: { body: 'a', links: ['b', 'c'] },
  b: { body: 'b', links: ['seed'] },
  c: { body: 'c' },
} as const;

async function orphans(copy: LookedAt): Promise<string[]> {
  const all = await copy.store.urls(0, 99);
  return all.filter(({ orphanedAtMs }) => orphanedAtMs !== null).map(({ url }) => url.slice(at('').length));
}

/** The seed links only to `a`, and only `a` links to `b` and `c`. */
async function chain(t: Parameters<typeof freshStore>[0], open: OpenStore): Promise<LookedAt> {
  const copy = await copyOf(await freshStore(t, open, NOW_MS), CHAIN);
  await copy.look('seed', 'changed', { body: 'seed 2', links: ['a'] });
  assert.deepEqual(await orphans(copy), []);
  return copy;
}

export function orphansContract(open: OpenStore): void {
  for (const isCounted of [false, true]) {
    test(`a page that lost its last link is an orphan, once (links ${isCounted ? '' : 'not '}counted)`, async (t) => {
      const copy = await chain(t, open);
      if (isCounted) await copy.store.countLinks();
      await copy.look('a', 'changed', { body: 'a 2', links: ['b'] });
      assert.deepEqual(await orphans(copy), ['c']);
      assert.equal((await recordOf(copy.store, at('c'))).orphanedAtMs, copy.nowMs);
      if (isCounted) await copy.store.countLinks();
      await copy.look('a', 'changed', { body: 'a 3', links: [] });
      await copy.look('a', 'changed', { body: 'a 4', links: ['c'] });
      assert.deepEqual(await orphans(copy), ['b'], 'one that is linked to again is none');
      await copy.look('a', 'changed', { body: 'a 5', links: [] });
      assert.deepEqual(await orphans(copy), ['b', 'c']);
      const words = (await copy.changeWords()).filter((word) => word.startsWith('orphaned'));
      assert.deepEqual(words, ['orphaned c', 'orphaned b', 'orphaned c']);
      const [last] = await copy.changeOf('c');
      assert.deepEqual([last?.kind, last?.title, last?.atMs], ['orphaned', 'Title of c', copy.nowMs]);
    });
  }

  test('a page that only a gone page linked to is an orphan, except a seed', async (t) => {
    const copy = await chain(t, open);
    await copy.look('a', 'gone', { reason: 'gone' });
    assert.deepEqual(await orphans(copy), ['b', 'c']);
    await copy.look('b', 'gone', { reason: 'gone' });
    assert.deepEqual(await orphans(copy), ['c'], 'a seed is none, and neither is what is gone itself');
  });

  test('a link of a page to itself does not keep it from being an orphan', async (t) => {
    const copy = await chain(t, open);
    await copy.look('c', 'changed', { body: 'c 2', links: ['c'] });
    await copy.look('a', 'changed', { body: 'a 2', links: ['b'] });
    assert.deepEqual(await orphans(copy), ['c']);
    await copy.look('c', 'changed', { body: 'c 3', links: ['c', 'seed'] });
    assert.deepEqual(await orphans(copy), ['c']);
  });

  test('links that are read again from an unchanged page replace the old links', async (t) => {
    const copy = await chain(t, open);
    const { id: pageId } = await recordOf(copy.store, at('a'));
    assert.equal(
      await copy.look('a', 'same', { isReread: true, links: ['b'], foundLinks: [found(at('pic'))] }),
      'fetched',
    );
    const again = async () => (await copy.store.linksFrom(pageId)).map(({ url }) => url);
    assert.deepEqual(await again(), [at('b'), at('pic')]);
    const { id, state } = await recordOf(copy.store, at('pic'));
    assert.equal(state, 'waiting');
    assert.deepEqual(await copy.store.backlinks([copy.id('b'), copy.id('c'), id]), [1, 0, 1]);
    assert.equal((await recordOf(copy.store, at('a'))).outlinks, 2);
    assert.deepEqual(await orphans(copy), ['c']);
    await copy.look('a', 'same', { isReread: true, links: ['b', 'c'] });
    assert.deepEqual(await orphans(copy), []);
    assert.equal((await copy.store.commit(copy.last!)).states[0], null, 'the same look again');
    assert.deepEqual(await again(), [at('b'), at('c')]);
    assert.deepEqual(await copy.changeWords(), ['changed seed', 'orphaned c']);
  });

  test('a link from a new page or a new redirect also ends the orphan state', async (t) => {
    const copy = await chain(t, open);
    await copy.look('a', 'changed', { body: 'a 2', foundLinks: [found(at('x')), found(at('y'))] });
    assert.deepEqual(await orphans(copy), ['b', 'c']);
    const [x, y] = await copy.store.claimMore(copy.hostId, { limit: 2, besides: new Set(), nowMs: copy.nowMs });
    await commit(copy.store, [
      resultOf(copy, x!, { page: page('x'), knownLinks: linksTo([copy.id('b')]) }),
      resultOf(copy, y!, { state: 'redirect', redirectTo: found(at('c')) }),
    ]);
    assert.deepEqual(await orphans(copy), []);
  });

  test('the target of a redirect is not an orphan until the redirect leads elsewhere', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), {
      ...CHAIN,
      old: { state: 'redirect', redirectTo: found(at('c')) },
    });
    await copy.look('seed', 'changed', { body: 'seed 2', links: ['a', 'old'] });
    await copy.look('a', 'changed', { body: 'a 2', links: ['b'] });
    assert.deepEqual(await orphans(copy), []);
    await copy.look('old', 'moved', { redirectTo: found(at('b')) });
    assert.deepEqual(await orphans(copy), ['c']);
    await copy.look('old', 'changed', { body: 'old', links: ['c'] });
    assert.deepEqual(await orphans(copy), []);
  });

  test('a page that a source lists is not an orphan; a page that it no longer lists is one', async (t) => {
    const copy = await chain(t, open);
    const knownLinks = linksTo(['b', 'c'].map((path) => copy.id(path)));
    const timesMs = [copy.nowMs + 1, copy.nowMs - 1_000_000_000];
    await copy.look('a', 'changed', { body: 'a 2', more: { isSource: true }, knownLinks, knownTimesMs: timesMs });
    assert.deepEqual(await orphans(copy), []);
    await copy.look('a', 'changed', { body: 'a 3', more: { isSource: true } });
    assert.deepEqual(await orphans(copy), ['b', 'c']);
  });

  test('pages that lose links to each other in one commit are judged after the whole commit', async (t) => {
    const copy = await chain(t, open);
    const tasks = await copy.store.revisits(['a', 'b'].map((path) => copy.id(path)));
    const results = tasks.map((task, i) => {
      const links = linksTo([copy.id(['seed', 'c'][i]!)]);
      const revisit = {
        sinceMs: task.earlier!.checkedAtMs,
        checkedAtMs: NOW_MS + 9,
        finding: 'changed',
        change: null,
      } as const;
      return resultOf(copy, task, { page: page(`${task.url} 2`), knownLinks: links, revisit });
    });
    assert.deepEqual((await commit(copy.store, results)).states, ['fetched', 'fetched']);
    assert.deepEqual(await orphans(copy), ['b'], 'c is linked to from elsewhere now');
  });
}
