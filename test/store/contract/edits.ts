/** Tests that equal edits of several pages are found in the change log, however many different edits there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeClass } from '../../../src/core/page/change-class.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { at, copyOf, type LookedAt } from '../looking-again.ts';
import { NOW_MS } from '../rows.ts';

const PATHS = ['a', 'b', 'c', 'd', 'e'] as const;
const PAGES = Object.fromEntries(['seed', ...PATHS].map((path) => [path, { body: path }]));
const TITLE: ChangeClass = { level: 'content', part: 'template', edit: 'aaaaaaaaaaaaaaaa' };
const OTHER: ChangeClass = { level: 'layout', part: null, edit: 'bbbbbbbbbbbbbbbb' };
const LEAST_TWO = { after: 0, through: 1_000, least: 2, limit: 10 };

async function editedCopy(t: Parameters<typeof freshStore>[0], open: OpenStore): Promise<LookedAt> {
  const store = await freshStore(t, open, NOW_MS);
  const copy = await copyOf(store, PAGES);
  const edits = [OTHER, TITLE, { ...TITLE, part: 'own' }, OTHER, TITLE] as const;
  for (const [i, path] of PATHS.entries()) {
    await copy.look(path, 'changed', { body: `${path} 2`, classified: edits[i]! });
  }
  return copy;
}

export function editsContract(open: OpenStore): void {
  test('equal edits are counted by pages, those of most pages first', async (t) => {
    const { store } = await editedCopy(t, open);
    const title = {
      edit: TITLE.edit,
      pages: 3,
      firstSeq: 2,
      level: 'content',
      part: 'own',
      examples: [at('b'), at('c'), at('e')],
    };
    const other = {
      edit: OTHER.edit,
      pages: 2,
      firstSeq: 1,
      level: 'layout',
      part: null,
      examples: [at('a'), at('d')],
    };
    assert.deepEqual(await store.sharedEdits(LEAST_TWO), [title, other]);
    assert.deepEqual(await store.sharedEdits({ ...LEAST_TWO, limit: 1 }), [title]);
    assert.deepEqual(await store.sharedEdits({ ...LEAST_TWO, least: 3 }), [title]);
    assert.deepEqual(await store.sharedEdits({ ...LEAST_TWO, among: [OTHER.edit!, 'unknown'] }), [other]);
    assert.deepEqual(await store.sharedEdits({ ...LEAST_TWO, among: [] }), []);
  });

  test('equal edits outside the range do not count', async (t) => {
    const { store } = await editedCopy(t, open);
    const pagesIn = async (after: number, through: number, among?: readonly string[]) => {
      const edits = await store.sharedEdits({ ...LEAST_TWO, after, through, ...(among && { among }) });
      return edits.map(({ edit, pages, firstSeq }) => [edit, pages, firstSeq]);
    };
    for (const among of [undefined, [TITLE.edit!, OTHER.edit!]]) {
      assert.deepEqual(await pagesIn(2, 5, among), [[TITLE.edit, 2, 3]]);
      assert.deepEqual(await pagesIn(0, 3, among), [[TITLE.edit, 2, 2]]);
      assert.deepEqual(await pagesIn(4, 5, among), []);
    }
  });

  test('changes without an edit, noise and several changes of one page do not count as equal edits', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const copy = await copyOf(store, PAGES);
    await copy.look('a', 'changed', { body: 'a 2' });
    await copy.look('b', 'changed', { body: 'b 2' });
    await copy.look('c', 'noise', { body: 'c 2', classified: TITLE });
    await copy.look('d', 'changed', { body: 'd 2', classified: TITLE });
    await copy.look('d', 'changed', { body: 'd 3', classified: TITLE });
    assert.deepEqual(await store.sharedEdits(LEAST_TWO), []);
  });
}
