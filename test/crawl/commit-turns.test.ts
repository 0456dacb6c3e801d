/** Tests when the turns of a controller begin, with timers controlled by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitTurns } from '../../src/crawl/commit-turns.ts';

/** Resolves when everything that was due immediately has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('a turn of a single process begins at once', async () => {
  let begun = 0;
  const turns = new CommitTurns(0, () => begun++);
  for (let call = 1; call <= 3; call++) {
    turns.call(1, false);
    await settled();
    assert.equal(begun, call);
  }
});

test('in a cluster, the next turn waits, unless there are many results or no more will come', async () => {
  let begun = 0;
  const turns = new CommitTurns(3_600_000, () => begun++);
  turns.call(1, false);
  await settled();
  assert.equal(begun, 1, 'the first is not kept waiting');
  turns.call(1, false);
  turns.more(63, false);
  await settled();
  assert.equal(begun, 1);
  turns.more(64, false);
  assert.equal(begun, 2, 'enough has come');
  turns.call(1, false);
  turns.more(1, true);
  assert.equal(begun, 3, 'it drains');
  turns.call(64, false);
  await settled();
  assert.equal(begun, 4);
  turns.call(1, false);
  turns.end();
  await settled();
  assert.equal(begun, 4, 'no more after the end');
});
