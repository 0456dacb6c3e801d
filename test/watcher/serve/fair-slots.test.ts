import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairSlots } from '../../../src/watcher/serve/fair-slots.ts';

function fill(slots: FairSlots, client: string, count: number, lost: string[]): number {
  let given = 0;
  for (let i = 0; i < count; i++) if (slots.take(client, () => lost.push(`${client} ${i}`)) !== null) given++;
  return given;
}

test('a new client takes the oldest slot of the client with the most slots', () => {
  const slots = new FairSlots(10);
  const lost: string[] = [];
  assert.equal(fill(slots, 'greedy', 20, lost), 10, 'it gets all free slots, and takes none from itself');
  assert.equal(lost.length, 0);
  assert.notEqual(
    slots.take('honest', () => lost.push('honest')),
    null,
  );
  assert.deepEqual([lost, slots.taken], [['greedy 0'], 10]);
  assert.equal(fill(slots, 'greedy', 5, lost), 0);
  assert.deepEqual(lost, ['greedy 0']);
});

test('if each client has one slot, a new client takes the oldest slot', () => {
  const slots = new FairSlots(50);
  const lost: string[] = [];
  for (let i = 0; i < 50; i++) fill(slots, `evil ${i}`, 1, lost);
  const leave = slots.take('honest', () => lost.push('honest'))!;
  assert.deepEqual(lost, ['evil 0 0']);
  // Clients that return do not take the slot back while they hold as many slots as the newcomer.
  for (let i = 1; i < 50; i++) assert.equal(fill(slots, `evil ${i}`, 1, lost), 0);
  assert.deepEqual(lost, ['evil 0 0']);
  leave();
  leave();
  assert.equal(slots.taken, 49);
});

test('free() takes one slot at a time from the client with the most, until none is left', () => {
  const slots = new FairSlots(3);
  const lost: string[] = [];
  fill(slots, 'a', 2, lost);
  fill(slots, 'b', 1, lost);
  assert.deepEqual([slots.free(), slots.free(), slots.free(), slots.free()], [true, true, true, false]);
  assert.deepEqual([lost, slots.taken], [['a 0', 'a 1', 'b 0'], 0]);
});
