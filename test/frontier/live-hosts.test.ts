import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGate } from '../../src/frontier/host-gate.ts';
import { type LiveHost, LiveHosts } from '../../src/frontier/live-hosts.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { ManualClock } from '../fetch/manual-clock.ts';

const clock = new ManualClock();

/** A host with loaded URLs that may be asked in `waitMs`. */
function hostWith(hostId: number, urls: number, waitMs = 0): LiveHost<number> {
  const manners = { askedAtMs: 0, delayMs: null, blockedUntilMs: clock.now() + waitMs };
  const gate = new HostGate({ parallel: 1, delayMs: 0 }, manners, clock);
  return {
    hostId,
    host: `http://h${hostId}.test`,
    gate,
    queue: Array.from({ length: urls }, (_, i) => i),
    paused: false,
  };
}

function liveHosts(...hosts: LiveHost<number>[]): LiveHosts<number, LiveHost<number>> {
  const live = new LiveHosts<number, LiveHost<number>>();
  for (const host of hosts) live.add(host);
  return live;
}

test('M3 among the hosts that may be asked, the host with the longest queue comes first', () => {
  const live = liveHosts(hostWith(1, 2), hostWith(2, 5), hostWith(3, 9, 1_000), hostWith(4, 3));
  assert.equal(live.next(clock.now()), live.get(2));
});

test('M3 the longest queue is served first, equal queues take turns, and no queue is left behind', () => {
  const live = liveHosts(hostWith(1, 3), hostWith(2, 5), hostWith(3, 4));
  const lengths: number[] = [];
  for (let host = live.next(clock.now()); typeof host !== 'number'; host = live.next(clock.now())) {
    lengths.push(host.queue.length);
    host.queue.shift();
    const longest = Math.max(...[...live].map(({ queue }) => queue.length));
    assert.ok(longest <= lengths.at(-1)!);
  }
  assert.deepEqual(lengths, [5, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1]);
});

test('if no host may be asked, the soonest time is given, or Infinity if a request must end first', () => {
  const live = liveHosts(hostWith(1, 1, 900), hostWith(2, 9, 4_000), hostWith(3, 0));
  assert.equal(live.next(clock.now()), clock.now() + 900);
  live.remove(1);
  assert.equal(live.next(clock.now()), clock.now() + 4_000);
  live.get(2)!.paused = true;
  assert.equal(live.next(clock.now()), Number.POSITIVE_INFINITY);
  const busy = hostWith(4, 3);
  busy.gate.begin();
  live.add(busy);
  assert.equal(live.next(clock.now()), Number.POSITIVE_INFINITY);
  assert.equal(live.size, 3);
});

test('next gives the same host as a check of all hosts', () => {
  const random = new SeededRandom(8);
  for (let round = 0; round < 300; round++) {
    const hosts = Array.from({ length: 1 + random.below(8) }, (_, i) =>
      hostWith(i, random.below(5), random.pick([0, 0, 100, 700])),
    );
    for (const host of hosts) host.paused = random.below(4) === 0;
    const found = liveHosts(...hosts).next(clock.now());
    const open = hosts.filter(({ paused, queue }) => !paused && queue.length > 0);
    const ready = open.filter(({ gate }) => gate.nextAtMs() <= clock.now());
    if (ready.length > 0) {
      assert.ok(typeof found !== 'number' && ready.includes(found));
      assert.equal(found.queue.length, Math.max(...ready.map(({ queue }) => queue.length)));
    } else {
      assert.equal(found, Math.min(Number.POSITIVE_INFINITY, ...open.map(({ gate }) => gate.nextAtMs())));
    }
  }
});
