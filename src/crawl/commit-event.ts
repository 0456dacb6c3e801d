import type { CrawlEvents } from '../core/events.ts';
import type { CommitBatch, CommitReceipt } from '../store/contract.ts';

export function commitEvent(
  batch: Pick<CommitBatch, 'results'>,
  receipt: CommitReceipt,
  tookMs: number,
): CrawlEvents['crawl/commit'] {
  const results = batch.results.map(({ id, reason, page }, i) => ({
    id,
    state: receipt.states[i] ?? null,
    reason,
    bytes: page?.bytes ?? 0,
  }));
  return { results, discovered: receipt.discovered, tookMs };
}
