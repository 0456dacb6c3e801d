/** Counts of a run, kept as results are committed, so that progress costs no query. */
import type { CommitReceipt, Counts, UrlResult } from '../store/contract.ts';

export class RunCounter {
  /** Requests answered or failed in this run. */
  fetched = 0;
  /** Pages in the copy, duplicates included, earlier runs too. */
  pages: number;
  waiting: number;
  failed: number;
  bytes = 0;
  /** Requests that have ended, and those among them that no server answered. */
  asked = 0;
  unanswered = 0;

  constructor(before: Counts) {
    this.pages = before.states.fetched + before.states.duplicate;
    this.waiting = before.states.waiting;
    this.failed = before.states.failed;
  }

  add(results: readonly UrlResult[], receipt: CommitReceipt): void {
    this.waiting += receipt.discovered;
    for (const urls of receipt.released.values()) this.waiting += urls;
    results.forEach((result, i) => {
      const state = receipt.states[i];
      if (state === null || state === undefined) return;
      if (state !== 'skipped') this.fetched++;
      if (state !== 'waiting') this.waiting--;
      if (state === 'fetched' || state === 'duplicate') this.pages++;
      if (state === 'failed') this.failed++;
      this.bytes += result.page?.wireBytes ?? 0;
    });
  }
}
