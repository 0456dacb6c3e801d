/**
 * The counts that a transaction changes: totals of the crawl, and the numbers of each touched host. They are
 * gathered in memory and written once at the end. So counting costs a few statements for each batch, not
 * several for each URL, and `status` never has to count rows. The pages that the transaction writes, moves or removes
 * are gathered too: followers read which pages each commit touched (FollowerStore).
 */

import { ON_TOPIC } from '../../core/on-topic.ts';
import type { Reason } from '../../core/reasons.ts';
import type { UrlState } from '../contract.ts';

interface HostDelta {
  waiting: number;
  fetched: number;
  failed: number;
}

export class Tally {
  discovered = 0;
  /** The number of the transaction for the pages that it touches; null until it is needed. */
  touchSeq: number | null = null;
  readonly #totals = new Map<string, number>();
  readonly #hosts = new Map<number, HostDelta>();
  #touched = new Set<number>();

  add(name: string, amount: number): void {
    if (amount !== 0) this.#totals.set(name, (this.#totals.get(name) ?? 0) + amount);
  }

  enters(hostId: number, state: UrlState, reason: Reason | null): void {
    this.#change(hostId, state, reason, 1);
  }

  leaves(hostId: number, state: UrlState, reason: Reason | null): void {
    this.#change(hostId, state, reason, -1);
  }

  #change(hostId: number, state: UrlState, reason: Reason | null, by: number): void {
    this.add(`state/${state}`, by);
    if (reason !== null) this.add(`reason/${reason}`, by);
    let delta = this.#hosts.get(hostId);
    if (!delta) {
      delta = { waiting: 0, fetched: 0, failed: 0 };
      this.#hosts.set(hostId, delta);
    }
    if (state === 'waiting') delta.waiting += by;
    else if (state === 'fetched' || state === 'duplicate') delta.fetched += by;
    else if (state === 'failed') delta.failed += by;
  }

  /** A waiting URL that failed before begins (1) or ends (-1) to wait for its retry. */
  retries(reason: Reason | null, by: 1 | -1): void {
    this.add('retrying', by);
    if (reason !== null) this.add(`retry-reason/${reason}`, by);
  }

  /** The page of this URL was written or removed, or its state has changed. */
  touches(id: number): void {
    this.#touched.add(id);
  }

  /** Returns the touched URLs since the last call. */
  takeTouched(): ReadonlySet<number> {
    const touched = this.#touched;
    if (touched.size > 0) this.#touched = new Set();
    return touched;
  }

  /** By how much this transaction changes a total. */
  change(name: string): number {
    return this.#totals.get(name) ?? 0;
  }

  *totals(): Iterable<readonly [string, number]> {
    yield* this.#totals;
  }

  *hosts(): Iterable<readonly [number, HostDelta]> {
    yield* this.#hosts;
  }
}

/** Adds one page to the counts of the copy, or removes one. */
export function countPage(
  { bytes, relevance }: { readonly bytes: number; readonly relevance: number | null },
  by: 1 | -1,
  tally: Tally,
): void {
  tally.add('bytes', by * bytes);
  if (relevance === null) return;
  tally.add('judged', by);
  tally.add('on-topic', relevance >= ON_TOPIC ? by : 0);
}
