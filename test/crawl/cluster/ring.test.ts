/** Tests the promises of the work division: the shares are even, and only the share of one worker moves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ring } from '../../../src/crawl/cluster/ring.ts';
import { SLOTS, slotOf } from '../../../src/url/host.ts';
import { SeededRandom } from '../../../testbed/random.ts';

const HOSTS = Array.from({ length: 20_000 }, (_, i) => `https://www${i}.site-${i % 97}.example`);
const HOST_SLOTS = HOSTS.map(slotOf);

/**
 * Names as users choose them: machines of one series, of several series, containers, and
 * a number where several have the same name.
 */
function nameSet(random: SeededRandom, count: number): string[] {
  const row = random.pick(['worker', 'node-', 'crawl.eu-', 'ip-10-0-', '', 'Käfer ']);
  const first = random.below(1_000);
  const names = Array.from({ length: count }, (_, i) => `${row}${first + i}`);
  return random.below(3) > 0 ? names : names.map((name) => `${name}-${random.below(1e9).toString(16)}`);
}

function shares(ring: Ring): Map<string, number> {
  const counts = new Map(ring.names.map((name) => [name, 0]));
  for (let slot = 0; slot < SLOTS; slot++) counts.set(ring.ownerOf(slot)!, counts.get(ring.ownerOf(slot)!)! + 1);
  return counts;
}

/** The share of the hosts that has another owner. */
function moved(before: Ring, after: Ring): number {
  return HOST_SLOTS.filter((slot) => before.ownerOf(slot) !== after.ownerOf(slot)).length / HOSTS.length;
}

test('E3 of eight workers the largest share of hosts is at most 1.15 of the mean', () => {
  const random = new SeededRandom(1);
  let largest = 0;
  for (let round = 0; round < 200; round++) {
    const ring = new Ring(nameSet(random, 8));
    const counts = [...shares(ring).values()];
    largest = Math.max(largest, Math.max(...counts) / (SLOTS / 8));
  }
  assert.ok(largest <= 1.15, `${largest}`);
  assert.ok(largest > 1, 'a share was counted');
});

test('E3 one of n workers that joins or leaves moves at most 1/n + 2 % of the hosts, and only its own', () => {
  const random = new SeededRandom(2);
  for (let n = 2; n <= 50; n++) {
    for (let round = 0; round < (n < 6 ? 12 : 2); round++) {
      const names = nameSet(random, n);
      const leaver = random.pick(names);
      const all = new Ring(names);
      const others = new Ring(names.filter((name) => name !== leaver));
      const share = moved(all, others);
      assert.ok(share <= 1 / n + 0.02, `${n} workers: ${share} moves with ${leaver}`);
      assert.ok(share > 0);
      for (const slot of HOST_SLOTS) {
        if (all.ownerOf(slot) !== leaver) assert.equal(others.ownerOf(slot), all.ownerOf(slot));
      }
    }
  }
});

test('P2 all workers compute the same owner of a host, whatever the order of the names', () => {
  const names = ['c', 'a', 'b', 'a'];
  const here = new Ring(names);
  const there = new Ring([...names].reverse());
  for (let slot = 0; slot < SLOTS; slot++) assert.equal(here.ownerOf(slot), there.ownerOf(slot));
  const sets = here.names.map((name) => here.slotsOf(name));
  for (let i = 0; i < SLOTS / 8; i++) {
    assert.equal(sets[0]![i]! | sets[1]![i]! | sets[2]![i]!, 255, 'every slot is somebody’s');
    assert.equal(sets[0]![i]! + sets[1]![i]! + sets[2]![i]!, 255, 'and of one alone');
  }
});

test('slots are encoded in the bit order of PostgreSQL', () => {
  const ring = new Ring(['one', 'two']);
  const bits = ring.slotsOf('one');
  assert.equal(bits.length, 2_048);
  for (const slot of [0, 1, 7, 8, 4_711, SLOTS - 1]) {
    assert.equal((bits[slot >> 3]! >> (slot % 8)) & 1, ring.ownerOf(slot) === 'one' ? 1 : 0);
  }
});

test('a single worker has all slots; a worker has none in an empty ring or in a ring without it', () => {
  assert.ok(new Ring(['one']).slotsOf('one').every((byte) => byte === 255));
  assert.ok(new Ring(['one']).slotsOf('other').every((byte) => byte === 0));
  assert.equal(new Ring([]).ownerOf(5), null);
});

test('P2 hosts are spread over all slots by their names only', () => {
  assert.equal(slotOf('https://example.com'), slotOf('https://example.com'));
  const used = new Set(HOST_SLOTS);
  assert.ok(used.size > SLOTS * 0.65, `${used.size}`);
  assert.ok(HOST_SLOTS.every((slot) => Number.isInteger(slot) && slot >= 0 && slot < SLOTS));
});
