/** The dictionary of a segment finds each of its keys, and no other, whatever characters they have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DictionaryReader } from '../../../src/search/index/segment/dictionary-reader.ts';
import { DictionaryWriter } from '../../../src/search/index/segment/dictionary-writer.ts';
import { SectionReader } from '../../../src/search/index/segment/section-reader.ts';
import { SectionWriter } from '../../../src/search/index/segment/section-writer.ts';
import { SeededRandom } from '../../../testbed/random.ts';

/** One to four bytes in UTF-8. The last three are sorted differently by bytes and by code units. */
const CHARACTERS = ['\u0001', 'a', 'b', 'c', 'é', 'я', '中', '\uffee', '😀', '😁'];

function written(fill: (section: SectionWriter) => void): SectionReader {
  const rows: Uint8Array[] = [];
  const writer = new SectionWriter((row, bytes) => {
    rows[row] = bytes.slice();
  });
  fill(writer);
  writer.end();
  return new SectionReader(writer.length, (row) => rows[row]!);
}

test('a look-up finds exactly the keys of the dictionary, with the places of their data', (t) => {
  const random = new SeededRandom(5);
  const randomKey = () => Array.from({ length: 1 + random.below(6) }, () => random.pick(CHARACTERS)).join('');
  const keys = [...new Set(Array.from({ length: 5_000 }, randomKey))].sort();
  let index = new SectionReader(0, () => new Uint8Array(0));
  const section = written((entries) => {
    index = written((blocks) => {
      const writer = new DictionaryWriter(entries, blocks);
      for (const [i, key] of keys.entries()) writer.add({ key, count: i, bytes: 2, positionBytes: 3 });
      writer.end();
    });
  });
  const dictionary = new DictionaryReader(section, index, keys.length);
  for (const [i, key] of keys.entries()) {
    const expected = { key, count: i, bytes: 2, positionBytes: 3, at: 2 * i, positionsAt: 3 * i };
    assert.deepEqual(dictionary.find(key), expected);
  }
  const known = new Set(keys);
  let absent = 0;
  for (let i = 0; i < 5_000; i++) {
    const key = randomKey();
    if (known.has(key)) continue;
    absent++;
    assert.equal(dictionary.find(key), null, key);
  }
  t.diagnostic(`${keys.length} keys, ${absent} others`);
  assert.ok(absent > 1_000);
});
