/** The result of a watcher in one round, for reports to the user. */
import type { verdictOn } from './trust-rule.ts';

/**
 * `failed`: the report cannot be used, and the ordinary schedule applies. `held`: another crawler has the site.
 * `trying`: unreported pages are being spot-checked. `leading`: the watcher is trusted, and its reports replace the
 * ordinary schedule. `doubted`: the watcher is not trusted, and the ordinary schedule applies.
 */
const STANCES = ['failed', 'held', 'trying', 'leading', 'doubted'] as const;
export type Stance = (typeof STANCES)[number];

/** The entry of a watcher in `refresh --json`. */
export interface WatcherSummary {
  readonly host: string;
  readonly stance: Stance;
  readonly verdict: ReturnType<typeof verdictOn>;
  /** Pages reported as new, updated or deleted for which the copy had another state. */
  readonly told: number;
  /** Unreported pages that were visited (`checked`), and how many of them had changed (`missed`). */
  readonly checked: number;
  readonly missed: number;
  /** Reported pages that had not changed, or that exist although they were reported as deleted. */
  readonly falseAlarms: number;
  /** Pages dropped because of the report, without a request. */
  readonly dropped: number;
  /** Why the report was not used, in words; null if it was used. */
  readonly fault: string | null;
  /**
   * Whether the watcher gave us its lease (W7). `refused`: another crawler held it for longer than
   * `--lease-wait` and the refresh continued without it, or the refresh ended before that. `none`: the watcher
   * gives no leases, or its report could not be read.
   */
  readonly lease: 'given' | 'refused' | 'none';
  /** How long the refresh waited for the lease. */
  readonly waitedSeconds: number;
  /** The holder of the site or of the refused lease, and until when, as far as known. */
  readonly heldBy: string | null;
  readonly heldUntil: string | null;
  /** Requests for the report and the lease, which `requests` does not count. */
  readonly questions: number;
}

/** The entry in `crawl --json` of a host that was crawled without the lease of its watcher. */
export type LeaselessHost = Pick<WatcherSummary, 'host' | 'heldBy' | 'heldUntil' | 'waitedSeconds'>;
