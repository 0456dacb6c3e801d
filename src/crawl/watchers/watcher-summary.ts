/** What became of a watcher in a round, for those who read of it. */
import type { verdictOn } from '../source-trust.ts';

/**
 * Its report cannot be used, and the ordinary schedule holds; another crawler has the site; its silence is being tried; it is
 * believed, and leads; it is not believed, and the ordinary schedule holds.
 */
export const STANCES = ['failed', 'held', 'trying', 'leading', 'doubted'] as const;
export type Stance = (typeof STANCES)[number];

/** What `refresh --json` tells of it. */
export interface WatcherSummary {
  readonly host: string;
  readonly stance: Stance;
  readonly verdict: ReturnType<typeof verdictOn>;
  /** Pages it told to be new, updated or deleted that the copy did not have so. */
  readonly told: number;
  /** Pages it was silent about and that were looked at; and those of them that had changed all the same. */
  readonly checked: number;
  readonly missed: number;
  /** Pages it told of that were as they had been, or were there though it said they were deleted. */
  readonly falseAlarms: number;
  /** Pages dropped on its word, without a request. */
  readonly dropped: number;
  /** Why its report was not used, in words; null where it was. */
  readonly fault: string | null;
  /**
   * Whether the watcher gave us its lease (W7). `refused`: another crawler held it for longer than `--lease-wait`, and
   * the refresh went
   * on without it, or ended before that. `none`: the watcher gives none, or its report could not be read.
   */
  readonly lease: 'given' | 'refused' | 'none';
  /** How long the refresh waited for the lease. */
  readonly waitedSeconds: number;
  /** Who has the site, or the lease that we were refused, and until when, as far as is known. */
  readonly heldBy: string | null;
  readonly heldUntil: string | null;
  /** Requests for its report and its lease, which `requests` does not count. */
  readonly questions: number;
}

/** What `crawl --json` tells of a host that it crawled without the lease of its watcher. */
export type LeaselessHost = Pick<WatcherSummary, 'host' | 'heldBy' | 'heldUntil' | 'waitedSeconds'>;
