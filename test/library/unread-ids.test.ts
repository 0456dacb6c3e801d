import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UnreadIds } from '../../src/library/unread-ids.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';

function takeAll(ids: UnreadIds): number[] {
  const taken: number[] = [];
  for (let id = ids.take(); id !== null; id = ids.take()) taken.push(id);
  return taken;
}

test('ids are returned in order, even beyond the memory limit', (t) => {
  const ids = new UnreadIds(dataFolder(t));
  const many = Array.from({ length: 600_000 }, (_, i) => i * 7_919);
  for (const id of many) ids.add(id);
  assert.deepEqual(takeAll(ids), many);
  assert.equal(ids.take(), null);
  ids.add(5);
  assert.deepEqual(takeAll(ids), [5]);
  ids.close();
});

test('reads and writes may alternate in any way', (t) => {
  const random = new SeededRandom(7);
  const ids = new UnreadIds(dataFolder(t));
  let added = 0;
  let taken = 0;
  for (let turn = 0; turn < 60; turn++) {
    for (let n = random.below(40_000); n > 0; n--) ids.add(++added);
    for (let n = random.below(turn < 30 ? 20_000 : 60_000); n > 0; n--) {
      const id = ids.take();
      assert.equal(id, taken < added ? ++taken : null);
      if (id === null) break;
    }
  }
  assert.equal(takeAll(ids).length, added - taken);
  ids.close();
});

test('the file has no name and does not exist before the memory limit is reached', (t) => {
  const dir = dataFolder(t);
  const ids = new UnreadIds(dir);
  for (let id = 0; id < 600_000; id++) ids.add(id);
  assert.deepEqual(readdirSync(dir), []);
  ids.close();
  assert.equal(ids.take(), null);
  const nowhere = new UnreadIds(join(dir, 'missing'));
  for (let id = 0; id < 200_000; id++) nowhere.add(id);
  assert.equal(takeAll(nowhere).length, 200_000);
});
