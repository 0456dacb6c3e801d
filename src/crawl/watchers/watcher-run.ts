/**
 * The part that a crawl and a refresh share when they ask watchers. In: the parts of the run. Out: the setup for
 * requests (the manners, limits and link rules of the crawl), the reader of reports, and the ways to stop.
 */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { PrivateRule } from '../../fetch/addresses/private-rule.ts';
import type { FoundUrl, ParameterLesson, Store } from '../../store/contract.ts';
import { UnitFetcher } from '../crew/unit-fetcher.ts';
import type { UnitThread } from '../crew/unit-thread.ts';
import { LinkJudge } from '../links/link-judge.ts';
import { fetchOptions } from '../unit/fetch-setup.ts';
import type { UnitSetup } from '../unit/messages.ts';
import type { HostSessionSetup } from './host-session.ts';
import { MAX_PART_BYTES } from './report.ts';
import { ReportProofs } from './report-proofs.ts';
import { WatchReader } from './watch-reader.ts';

/** A part of a report is small, and the run waits for it. */
const MAX_HEADERS_MS = 10_000;
const MAX_PART_MS = 30_000;

export interface WatchersSetup {
  readonly store: Store;
  readonly role: HostSessionSetup['role'];
  readonly clock: Clock;
  readonly options: CrawlOptions;
  readonly seeds: readonly string[];
  readonly lessons: readonly ParameterLesson[];
  readonly privateRule: PrivateRule;
  readonly rank: (found: FoundUrl) => void;
  /** Called with the ids of URLs that became known. */
  readonly learned: (ids: readonly number[]) => void;
  /** The unit that sends the requests. Null: a unit is started for them. */
  readonly unit: UnitThread | null;
  /** For a worker of a cluster. */
  readonly shared?: UnitSetup['shared'];
}

export function hostSessionSetup(setup: WatchersSetup): HostSessionSetup {
  const { clock, options, seeds, lessons, privateRule, unit, shared } = setup;
  const limits = {
    // Requests are sent one at a time, but an aborted report must not block the release of its lease.
    connectionsPerHost: Math.max(2, options.perHost),
    maxBodyBytes: MAX_PART_BYTES,
    headersTimeoutMs: Math.min(options.headersTimeout, MAX_HEADERS_MS),
    totalTimeoutMs: Math.min(options.timeout, MAX_PART_MS),
  };
  const rules = { fetch: { ...fetchOptions(options, privateRule), ...limits }, ...(shared && { shared }) };
  const fetcher = new UnitFetcher(unit, rules, clock);
  const judge = new LinkJudge(options, seeds, lessons);
  const [reading, leaving] = [new AbortController(), new AbortController()];
  const proofs = options.leaseKey.length === 0 ? null : new ReportProofs(options.leaseKey);
  return { ...setup, fetcher, judge, proofs, reading, leaving };
}

export abstract class WatcherRun {
  protected readonly setup: HostSessionSetup;
  protected readonly reader: WatchReader;

  constructor(setup: WatchersSetup) {
    this.setup = hostSessionSetup(setup);
    this.reader = new WatchReader(this.setup);
  }

  /** Hosts that seem to have a watcher, for the link judges. */
  abstract get hosts(): string[];

  /** The run ends while reports are read: the remaining reports are read another time. Leases are still released. */
  stopReading(): void {
    this.setup.reading.abort();
  }

  /** No more requests are sent. The leases expire. */
  leave(): void {
    this.setup.reading.abort();
    this.setup.leaving.abort();
  }

  async close(): Promise<void> {
    await this.setup.fetcher.close();
  }
}
