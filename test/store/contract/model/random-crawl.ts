/**
 * Two owners that do to a store, at random, everything that a crawl can do. A model gets the
 * same calls first and predicts the result.
 */
import assert from 'node:assert/strict';
import type { ClaimedUrl, CommitBatch, FoundUrl, HostLease, Store, UrlResult } from '../../../../src/store/contract.ts';
import { pathPattern } from '../../../../src/url/traps/path-pattern.ts';
import { SeededRandom } from '../../../../testbed/random.ts';
import { batchOf, capture, FILE, found, NOW_MS, page, resultOf } from '../../rows.ts';
import { StoreModel } from './model.ts';

const OWNERS = ['first', 'second'];
const HOSTS = 5;
const PATHS = 25;
const LEASE_MS = 1_000;
const PATTERN_BUDGET = 6;

export class RandomCrawl {
  readonly model = new StoreModel();
  readonly #store: Store;
  readonly #random: SeededRandom;
  /** The leases that each owner believes to hold, rightly or not. */
  readonly #held = new Map(OWNERS.map((owner) => [owner, new Map<string, HostLease>()]));
  readonly #urlOf = new Map<number, string>();
  #nowMs = NOW_MS;
  #archiveBytes = 0;

  constructor(store: Store, seed: number) {
    this.#store = store;
    this.#random = new SeededRandom(seed);
  }

  async step(): Promise<string> {
    this.#nowMs += this.#random.below(300);
    const steps = [
      'seed',
      'claim',
      'claim',
      'commit',
      'commit',
      'commit',
      'commit',
      'more',
      'release',
      'renew',
    ] as const;
    const rare = ['allowDepth', 'forgetCaptures'] as const;
    const step = this.#random.below(12) === 0 ? this.#random.pick(rare) : this.#random.pick(steps);
    await this[step]();
    return step;
  }

  async seed(): Promise<void> {
    const seeds = this.#some(3);
    for (const seed of seeds) this.model.find(seed, Number.POSITIVE_INFINITY);
    await this.#store.seed(seeds, this.#nowMs);
  }

  async claim(): Promise<void> {
    const owner = this.#random.pick(OWNERS);
    const hosts = 1 + this.#random.below(3);
    const ready = (await this.#store.hosts(0, 100)).filter(
      ({ readyAtMs, leasedBy }) => readyAtMs !== null && readyAtMs <= this.#nowMs && leasedBy !== owner,
    );
    const request = { owner, hosts, urlsPerHost: 4, nowMs: this.#nowMs, leaseMs: LEASE_MS };
    const leases = await this.#store.claim(request);
    assert.equal(leases.length, Math.min(hosts, ready.length), 'as many hosts as are ready');
    for (const lease of leases) {
      assert.ok(ready.some(({ host }) => host === lease.host));
      const holder = this.model.owners.get(lease.host);
      assert.ok(
        holder === undefined || (holder.untilMs <= this.#nowMs && holder.owner !== owner),
        'one owner at a time',
      );
      this.#agree(lease.host, lease.urls, this.model.ready(lease.host, this.#nowMs).slice(0, 4));
      this.model.owners.set(lease.host, { owner, untilMs: this.#nowMs + LEASE_MS });
      this.#held.get(owner)!.set(lease.host, lease);
    }
  }

  async more(): Promise<void> {
    const [owner, lease] = this.#anyHeld();
    if (!lease || this.model.owners.get(lease.host)?.owner !== owner) return;
    const besides = new Set(lease.urls.map(({ id }) => id).filter((id) => id % 2 === 0));
    const urls = await this.#store.claimMore(lease.hostId, { limit: 3, besides, nowMs: this.#nowMs });
    const ready = this.model.ready(lease.host, this.#nowMs);
    const skipped = new Set([...besides].map((id) => this.#urlOf.get(id)));
    this.#agree(lease.host, urls, ready.filter(({ url }) => !skipped.has(url)).slice(0, 3));
    this.#held.get(owner)!.set(lease.host, { ...lease, urls: [...lease.urls, ...urls] });
  }

  async commit(): Promise<void> {
    const [owner, lease] = this.#anyHeld();
    if (!lease) return;
    const tasks = lease.urls.filter(() => this.#random.below(3) > 0);
    const results = tasks.map((task) => this.#resultOf(lease, task));
    const archive = new Map([[FILE, this.#archiveBytes]]);
    const facts = { owner, nowMs: this.#nowMs, archive, patternBudget: PATTERN_BUDGET, found: this.#some(1) };
    const batch = batchOf(results, facts);
    await this.#commit(batch);
    // Commits again, like a controller that did not see the receipt.
    if (this.#random.below(4) === 0) {
      await this.#store.commit(batch);
    }
  }

  async #commit(batch: CommitBatch): Promise<void> {
    const states = this.model.commit(batch, ({ id }) => this.#urlOf.get(id)!);
    const receipt = await this.#store.commit(batch);
    assert.deepEqual(receipt.states, states);
    assert.deepEqual(
      receipt.linkIds.map((ids) => ids.length),
      batch.results.map(({ foundLinks }) => foundLinks.length),
    );
  }

  async release(): Promise<void> {
    const [owner, lease] = this.#anyHeld();
    if (!lease) return;
    if (this.model.owners.get(lease.host)?.owner === owner) this.model.owners.delete(lease.host);
    this.#held.get(owner)!.delete(lease.host);
    await this.#store.release(owner, [lease.hostId], this.#nowMs);
  }

  async renew(): Promise<void> {
    const owner = this.#random.pick(OWNERS);
    const untilMs = this.#nowMs + LEASE_MS;
    for (const lease of this.model.owners.values()) if (lease.owner === owner) lease.untilMs = untilMs;
    await this.#store.renew(owner, untilMs);
  }

  async allowDepth(): Promise<void> {
    const depth = 3 + this.#random.below(4);
    assert.equal(await this.#store.allowDepth(depth, this.#nowMs), this.model.allowDepth(depth));
  }

  async forgetCaptures(): Promise<void> {
    const from = this.#random.below(this.#archiveBytes + 1);
    assert.equal(await this.#store.forgetCaptures(FILE, from, this.#nowMs), this.model.forgetCaptures(from));
  }

  #agree(host: string, given: readonly ClaimedUrl[], expected: readonly { url: string }[]): void {
    assert.deepEqual(
      given.map(({ url }) => url),
      expected.map(({ url }) => url),
      `the URLs of ${host}, in order`,
    );
    for (const { id, url } of given) this.#urlOf.set(id, url);
  }

  #anyHeld(): [string, HostLease | undefined] {
    const owner = this.#random.pick(OWNERS);
    const leases = [...this.#held.get(owner)!.values()];
    return [owner, leases.length > 0 ? this.#random.pick(leases) : undefined];
  }

  #some(limit: number): FoundUrl[] {
    return Array.from({ length: this.#random.below(limit + 1) }, () => {
      const depth = this.#random.below(7);
      const n = this.#random.below(PATHS);
      const skips = [null, null, null, null, 'robots-disallowed'] as const;
      const skip = depth > 4 ? 'too-deep' : this.#random.pick(skips);
      const host = `http://h${this.#random.below(HOSTS)}.test`;
      const url = n % 2 === 0 ? `${host}/day?d=${n}` : `${host}/${n}`;
      return found(url, { depth, skip, pattern: pathPattern(url) });
    });
  }

  #resultOf(lease: HostLease, task: ClaimedUrl): UrlResult {
    const foundLinks = this.#some(4);
    const captured = this.#random.below(3) > 0 ? capture(this.#archiveBytes) : null;
    if (captured) this.#archiveBytes += captured.length;
    const kind = this.#random.below(10);
    const failures = task.failures + 1;
    if (kind === 0) return resultOf(lease, task, { state: 'failed', reason: 'not-found', failures, capture: captured });
    if (kind === 1) return resultOf(lease, task, { state: 'skipped', reason: 'robots-disallowed' });
    if (kind <= 3) {
      const dueAtMs = this.#nowMs + this.#random.below(2_000);
      return resultOf(lease, task, { state: 'waiting', reason: 'server-error', failures, dueAtMs, capture: captured });
    }
    if (kind === 4) {
      const [redirectTo = null] = this.#some(2);
      return resultOf(lease, task, { state: 'redirect', redirectTo, capture: captured });
    }
    const [canonical = null] = this.#random.below(4) === 0 ? this.#some(2) : [];
    const reason = this.#random.pick([null, null, 'noindex'] as const);
    const body = 'x'.repeat(this.#random.below(60));
    const newWords = this.#random.pick([{}, { newWords: 0 }, { newWords: 100 }]);
    return resultOf(lease, task, {
      page: page(body, { canonical, ...newWords }),
      reason,
      capture: captured,
      foundLinks,
    });
  }
}
