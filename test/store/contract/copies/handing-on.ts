/** Tests copies of a page (C7, E5) when the page changes or disappears: none is left without its original. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sketchWith } from '../../../content/compare-sketches.ts';
import { freshStore, type OpenStore } from '../../fresh-store.ts';
import { at, copyOf, type LookedAt } from '../../looking-again.ts';
import { capture, commit, FILE, found, NOW_MS, recordOf, resultOf } from '../../rows.ts';

const COPIES = { seed: { body: 'seed' }, a: { body: 'same' }, b: { body: 'same' }, c: { body: 'same' } } as const;
const NEAR = { nearDuplicate: 0.8 };

/** Fingerprints of a text that shares all but `others` of its 100 fingerprints with the text of the same number. */
function sketch(text: number, others = 0): Uint32Array {
  const prints = Array.from({ length: 100 }, (_, i) => text * 1_000_000 + i * 7_919 + (i < others ? 3_000 : 0));
  return sketchWith(prints);
}

async function duplicates(copy: LookedAt, paths: readonly string[]): Promise<(string | null)[]> {
  const records = await Promise.all(paths.map((path) => recordOf(copy.store, at(path))));
  return records.map(({ state, duplicateOf }) => duplicateOf?.slice(at('').length) ?? state);
}

export function handingOnContract(open: OpenStore): void {
  test('C7 when an original changes, the first of its duplicates is the original of the others', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, COPIES);
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['fetched', 'a', 'a']);
    await copy.look('a', 'changed', { body: 'other' });
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['fetched', 'fetched', 'b']);
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.fetched, states.duplicate, reasons], [3, 1, { 'duplicate-content': 1 }]);
    await copy.look('b', 'changed', { body: 'other' });
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['fetched', 'a', 'fetched']);
    await copy.look('a', 'changed', { body: 'same' });
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['c', 'fetched', 'fetched']);
    assert.equal((await recordOf(store, at('b'))).reason, null);
  });

  test('C7 when an original is gone, moves or is refused, a duplicate becomes the original', async (t) => {
    const endings = [
      ['gone', { reason: 'gone' }],
      ['moved', { redirectTo: found(at('seed')) }],
      ['refused', { reason: 'robots-disallowed' }],
    ] as const;
    for (const [finding, sight] of endings) {
      const store = await freshStore(t, open, NOW_MS);
      const copy = await copyOf(store, COPIES);
      await copy.look('a', finding, sight);
      assert.deepEqual(await duplicates(copy, ['b', 'c']), ['fetched', 'b'], finding);
      await copy.look('b', finding, sight);
      await copy.look('c', finding, sight);
      await copy.look('seed', 'changed', { body: 'same' });
      assert.deepEqual(await duplicates(copy, ['seed']), ['fetched'], 'a content that nobody has any more is new');
    }
  });

  test('C7 an unchanged original keeps its duplicates', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, COPIES);
    await copy.look('a', 'noise', { body: 'same', more: { title: 'new title' } });
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['fetched', 'a', 'a']);
    const more = { canonical: found(at('seed')), sketch: sketch(1) };
    await copy.look('seed', 'changed', { body: 'seed 2', more: { sketch: sketch(1) } });
    await copy.look('a', 'changed', { body: 'same', more });
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['seed', 'fetched', 'b'], 'unless it becomes one itself');
  });

  test('C7 an original that now names its duplicate as canonical becomes the duplicate of that page', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const more = { sketch: sketch(1) };
    const copy = await copyOf(store, { ...COPIES, b: { body: 'same', more } });
    await copy.look('a', 'changed', { body: 'other', more: { ...more, canonical: found(at('b')) } });
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['b', 'fetched', 'b']);
  });

  test('C7 a duplicate by canonical link becomes a page when its canonical URL leaves the copy', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const like = { sketch: sketch(1) };
    const named = { ...like, canonical: found(at('real')) };
    const copy = await copyOf(store, {
      seed: { body: 'seed' },
      real: { body: 'real', more: like },
      a: { body: 'copy', more: named },
      b: { body: 'copy', more: { ...named, noindex: true } },
      c: { body: '', more: named },
      d: { body: 'seed', more: named },
    });
    const paths = ['a', 'b', 'c', 'd'];
    assert.deepEqual(await duplicates(copy, paths), ['real', 'real', 'real', 'real']);
    await copy.look('real', 'changed', { body: 'real 2', more: like });
    assert.deepEqual(await duplicates(copy, paths), ['real', 'real', 'real', 'real'], 'a change is nothing to them');
    await copy.look('real', 'gone', { reason: 'gone' });
    assert.deepEqual(await duplicates(copy, paths), ['fetched', 'a', 'fetched', 'seed']);
    await copy.look('a', 'changed', { body: 'copy 2', more: named });
    assert.deepEqual(await duplicates(copy, ['a', 'b']), ['fetched', 'fetched'], 'nor is any a duplicate of it later');
    assert.equal((await recordOf(store, at('b'))).reason, 'noindex');
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.fetched, states.duplicate], [4, 1]);
    assert.deepEqual(reasons, { gone: 1, noindex: 1, 'duplicate-content': 1 });
  });

  test('C7 when the archive loses an original, a duplicate becomes the original', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, COPIES);
    await copy.look('a', 'noise', { body: 'same', capture: capture(100) }, { archive: new Map([[FILE, 200]]) });
    assert.equal(await store.forgetCaptures(FILE, 150, copy.nowMs), 1);
    assert.deepEqual(await duplicates(copy, ['a', 'b', 'c']), ['waiting', 'fetched', 'b']);
  });

  test('changing the original of a content costs the same, however many duplicates there are', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const count = 100;
    const answers = Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { body: 'same' }]));
    const copy = await copyOf(store, { seed: { body: 'seed' }, ...answers });
    for (let i = 0; i < count; i++) await copy.look(`p${i}`, 'changed', { body: 'new' });
    const { states } = await store.counts();
    assert.deepEqual([states.fetched, states.duplicate], [2, count - 1]);
    assert.deepEqual(await duplicates(copy, ['p0', 'p1', `p${count - 1}`]), ['fetched', 'p0', 'p0']);
  });

  test('E5 a page is compared with the current text of other pages, not with their earlier text', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, { seed: { body: 'seed' } });
    const nearOf = async (path: string) => (await recordOf(store, at(path))).nearDuplicateOf;
    await copy.look('seed', 'changed', { body: '1', more: { sketch: sketch(1) } }, NEAR);
    const fetch = async (path: string, text: Uint32Array) => {
      await copy.look('seed', 'same');
      const [id] = await store.seed([found(at(path))], copy.nowMs);
      const result = resultOf(copy, { id: id!, url: at(path) }, {});
      await commit(store, [{ ...result, page: { ...pageNamed(path), sketch: text } }], NEAR);
    };
    await fetch('near', sketch(1, 5));
    assert.equal(await nearOf('near'), at('seed'));
    await copy.look('seed', 'changed', { body: '2', more: { sketch: sketch(2) } }, NEAR);
    await fetch('late', sketch(1, 6));
    assert.equal(await nearOf('late'), null, 'of what it said before');
    await fetch('new', sketch(2, 5));
    assert.equal(await nearOf('new'), at('seed'), 'of what it says now');
    await copy.look('seed', 'gone', { reason: 'gone' });
    assert.deepEqual([await nearOf('near'), await nearOf('new')], [null, null], 'what is gone resembles nothing');
    await fetch('last', sketch(2, 6));
    assert.equal(await nearOf('last'), null);
    assert.equal((await store.counts()).reasons['near-duplicate'], undefined);
  });
}

function pageNamed(path: string) {
  return {
    bytes: 100,
    wireBytes: 100,
    digest: Buffer.from(path.padEnd(32, '.')).toString('hex'),
    title: path,
    language: '',
    canonical: null,
    noindex: false,
    relevance: null,
  };
}
