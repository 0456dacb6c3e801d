/** Tests the sorting of data that does not fit into memory. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { byteOrder, sortOnDisk } from '../../../src/store/postgres/captures/sort-on-disk.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { temporaryFolder } from '../fresh-store.ts';

interface Item {
  readonly text: string;
  readonly place: number;
}

async function* keyed(texts: readonly string[]) {
  for (const [place, text] of texts.entries()) yield { key: byteOrder(text), item: { text, place } };
}

function randomTexts(count: number): string[] {
  const random = new SeededRandom(5);
  const letters = ['a', 'b', 'ä', '\n', '"', '\u{1f577}', '\uffee', '\0'];
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.below(6) }, () => random.pick(letters)).join(''),
  );
}

for (const [atOnce, mostRuns] of [
  [2_000, 4],
  [100, 4],
  [7, 3],
] as const) {
  test(`items are sorted by the bytes of their keys, and each occurs once (${atOnce} at once)`, async () => {
    const texts = randomTexts(1_000);
    const sorted: Item[] = [];
    for await (const item of sortOnDisk<Item>(keyed(texts), atOnce, mostRuns)) sorted.push(item);
    const wanted = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(
      sorted.map(({ text }) => text),
      wanted,
    );
    assert.equal(new Set(sorted.map(({ place }) => place)).size, texts.length);
  });
}

test('the files exist only while the items are being read', async (t) => {
  const dir = temporaryFolder(t);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dir;
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  const items = sortOnDisk<Item>(keyed(randomTexts(100)), 10, 4);
  await items.next();
  assert.equal(readdirSync(dir).length, 1);
  await items.return(undefined);
  assert.deepEqual(readdirSync(dir), []);
});
