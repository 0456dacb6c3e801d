/** Tests that a visit notes of which page the visited page is a copy, and that a copy follows its original silently. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshStore, type OpenStore } from '../../fresh-store.ts';
import { at, copyOf, type LookedAt } from '../../looking-again.ts';
import { found, NOW_MS } from '../../rows.ts';

const COPIES = { seed: { body: 'seed' }, a: { body: 'same' }, b: { body: 'same' }, c: { body: 'same' } } as const;

/** The paths of which these pages are copies; null for a page of its own. */
async function copiesOf(copy: LookedAt, paths: readonly string[]): Promise<(string | null)[]> {
  const pathOf = new Map([...copy.ids].map(([path, id]) => [id, path]));
  const visits = await Promise.all(paths.map((path) => copy.visit(path)));
  return visits.map(({ copyOf: of }) => (of === null ? null : pathOf.get(of)!));
}

export function copiesContract(open: OpenStore): void {
  test('C7 a page is noted as a copy with its first answer, whether by its content or by its canonical link', async (t) => {
    const named = { canonical: found(at('a')) };
    const copy = await copyOf(await freshStore(t, open, NOW_MS), { ...COPIES, d: { body: 'same', more: named } });
    assert.deepEqual(await copiesOf(copy, ['seed', 'a', 'b', 'c', 'd']), [null, null, 'a', 'a', 'a']);
  });

  test('C7 a copy stays a copy of a page that changes, and follows it without a change of its own', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), COPIES);
    await copy.look('a', 'changed', { body: 'new' });
    assert.deepEqual(await copiesOf(copy, ['a', 'b', 'c']), [null, 'a', 'a']);
    await copy.look('c', 'changed', { body: 'new' });
    assert.deepEqual(await copiesOf(copy, ['a', 'b', 'c']), [null, 'a', 'a']);
    assert.deepEqual(await copy.changeWords(), ['changed a', 'noise c']);
    await copy.look('c', 'same');
    assert.deepEqual(await copiesOf(copy, ['c']), ['a']);
  });

  test('C7 a visit that finds other content than that of the original makes the copy a page of its own', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), COPIES);
    await copy.look('b', 'changed', { body: 'other' });
    assert.deepEqual(await copiesOf(copy, ['b', 'c']), [null, 'a']);
    await copy.look('a', 'changed', { body: 'new' });
    await copy.look('c', 'same');
    assert.deepEqual(await copiesOf(copy, ['a', 'c']), [null, null], 'the earlier content is content of its own');
    await copy.look('b', 'changed', { body: 'same' });
    assert.deepEqual(await copiesOf(copy, ['b']), ['c']);
    await copy.look('b', 'gone', { reason: 'gone' });
    assert.deepEqual(await copiesOf(copy, ['b']), [null]);
    assert.deepEqual(await copy.changeWords(), ['changed b', 'changed a', 'changed b', 'gone b']);
  });

  test('C7 a page that became a copy without a visit is noted at its next visit', async (t) => {
    const named = { canonical: found(at('late')) };
    const copy = await copyOf(await freshStore(t, open, NOW_MS), {
      seed: { body: 'seed' },
      a: { body: 'same', more: named },
      late: { body: 'same' },
    });
    assert.deepEqual(await copy.states(['a', 'late']), ['duplicate', 'fetched']);
    assert.deepEqual(await copiesOf(copy, ['a', 'late']), [null, 'a'], 'by its content, when it came');
    await copy.look('a', 'same');
    await copy.look('late', 'same');
    assert.deepEqual(await copiesOf(copy, ['a', 'late']), ['late', null]);
  });

  test('C7 a copy that no page links to any more is marked as an orphan, and no change is recorded', async (t) => {
    const copy = await copyOf(await freshStore(t, open, NOW_MS), COPIES);
    await copy.look('seed', 'changed', { body: 'seed 2', links: ['a', 'b'] });
    assert.deepEqual([(await copy.visit('c')).orphanedMs, (await copy.visit('b')).orphanedMs], [copy.nowMs, 0]);
    assert.deepEqual(await copy.changeWords(), ['changed seed']);
    await copy.look('seed', 'changed', { body: 'seed 3', links: ['c', 'b'] });
    assert.equal((await copy.visit('c')).orphanedMs, 0);
    assert.deepEqual(await copy.changeWords(), ['changed seed', 'changed seed', 'orphaned a']);
  });
}
