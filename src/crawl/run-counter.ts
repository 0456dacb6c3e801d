/** The counts of a run. They are updated with each commit, so that progress needs no query. */
import type { Reason } from '../core/reasons.ts';
import type { CommitReceipt, Counts, HostUpdate, UrlResult } from '../store/contract.ts';

/** Pages in the copy, duplicates included. */
export function pagesIn({ states }: Pick<Counts, 'states'>): number {
  return states.fetched + states.duplicate;
}

/** URLs in the store, in any state. */
export function urlsIn({ states }: Pick<Counts, 'states'>): number {
  return Object.values(states).reduce((sum, count) => sum + count, 0);
}

export class RunCounter {
  /** Requests of this run that were answered or failed. */
  fetched = 0;
  /** Pages in the copy, duplicates and pages of earlier runs included. */
  pages: number;
  waiting: number;
  /** Includes the waiting URLs that failed before. */
  failed: number;
  /** The reason of the newest failure. */
  trouble: Reason | null = null;
  /** Failures of this run by reason. */
  readonly failures = new Map<Reason, number>();
  bytes = 0;
  /** Requests that have ended; `unanswered` are the requests among them that no server answered. */
  asked = 0;
  unanswered = 0;

  constructor(before: Counts) {
    this.pages = pagesIn(before);
    this.waiting = before.states.waiting;
    this.failed = before.states.failed + before.retrying;
  }

  /** Takes the troubles of hosts, whose URLs were not requested at all. */
  hear(hosts: readonly HostUpdate[]): void {
    for (const { trouble } of hosts) if (trouble) this.trouble = trouble;
  }

  add(results: readonly UrlResult[], receipt: CommitReceipt): void {
    this.waiting += receipt.discovered;
    for (const urls of receipt.abandoned.values()) this.waiting -= urls;
    this.failed += receipt.retrying;
    for (const urls of receipt.released.values()) this.waiting += urls;
    results.forEach((result, i) => {
      const state = receipt.states[i];
      if (state === null || state === undefined) return;
      if (state !== 'skipped') this.fetched++;
      if (state !== 'waiting') this.waiting--;
      if (state === 'fetched' || state === 'duplicate') this.pages++;
      if (state === 'failed') this.failed++;
      if (result.failures > 0 || state === 'failed') this.#count(result.reason);
      this.bytes += result.page?.wireBytes ?? 0;
    });
  }

  #count(reason: Reason | null): void {
    this.trouble = reason;
    if (reason !== null) this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
  }
}
