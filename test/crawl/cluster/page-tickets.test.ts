import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageTickets } from '../../../src/crawl/cluster/page-tickets.ts';
import type { CommitReceipt, UrlState } from '../../../src/store/contract.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { FakeCluster } from './setup/fake-cluster.ts';

function receipt(states: readonly (UrlState | null)[]): CommitReceipt {
  return {
    states,
    linkIds: [],
    redirectIds: new Map(),
    discovered: 0,
    retrying: 0,
    loggedAs: new Map(),
    uncountedLinks: 0,
    abandoned: new Map(),
    lessons: [],
    released: new Map(),
  };
}

/** A worker that hands out as many URLs as it may and finishes them later. */
class Worker {
  readonly tickets: PageTickets;
  out = 0;

  constructor(cluster: FakeCluster, name: string, limit: number) {
    this.tickets = new PageTickets(cluster, name, limit);
  }

  async fill(most: number): Promise<void> {
    await this.tickets.refill(this.out);
    this.out += Math.max(0, Math.min(most, this.tickets.left - this.out));
  }

  /** Finishes some of the URLs that are handed out: some are pages, some are not, some are refused. */
  finish(cluster: FakeCluster, random: SeededRandom): void {
    const states = Array.from({ length: random.below(this.out + 1) }, () =>
      random.pick<UrlState | null>(['fetched', 'fetched', 'duplicate', 'failed', 'redirect', null]),
    );
    this.out -= states.length;
    cluster.pages += states.filter((state) => state === 'fetched' || state === 'duplicate').length;
    this.tickets.use(receipt(states));
  }
}

test('all workers together reach --limit and never exceed it', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = new SeededRandom(seed);
    const limit = random.pick([1, 7, 100, 1_000]);
    const cluster = new FakeCluster();
    const workers = ['a', 'b', 'c', 'd'].map((name) => new Worker(cluster, name, limit));
    for (let step = 0; step < 3_000 && cluster.pages < limit; step++) {
      const worker = random.pick(workers);
      if (random.below(2) === 0) await worker.fill(random.below(40));
      else worker.finish(cluster, random);
      assert.ok(cluster.pages <= limit, `${cluster.pages} of ${limit}, seed ${seed}`);
    }
    assert.equal(cluster.pages, limit, `seed ${seed}`);
  }
});

test('tickets that were drawn with a lost response are returned when no URL is out', async () => {
  const cluster = new FakeCluster();
  cluster.drawn.set('a', 90);
  const tickets = new PageTickets(cluster, 'a', 100);
  await tickets.refill(0);
  assert.equal(tickets.left, 64);
});

test('tickets are used up when none can be drawn and every URL that is out needs one', async () => {
  const cluster = new FakeCluster();
  const tickets = new PageTickets(cluster, 'a', 3);
  await tickets.refill(0);
  assert.equal(tickets.left, 3);
  assert.equal(tickets.areGone, false);
  await tickets.refill(3);
  assert.equal(tickets.areGone, true);
  tickets.forfeit();
  assert.equal(tickets.left, 0);
});

test('a worker loses its tickets when it is considered dead', async () => {
  const cluster = new FakeCluster();
  const tickets = new PageTickets(cluster, 'a', 1_000);
  await tickets.refill(0);
  const drawPages = cluster.drawPages.bind(cluster);
  cluster.drawPages = async (...words) => {
    const drawn = await drawPages(...words);
    if (words[1] > 0) tickets.forfeit();
    return drawn;
  };
  await tickets.refill(60);
  assert.equal(tickets.left, 0);
});
