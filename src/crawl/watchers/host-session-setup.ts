/** What the controller asks watchers with: the crawl's own manners, limits and judgement of links. */
import type { Clock } from '../../core/clock.ts';
import type { CrawlOptions } from '../../core/options.ts';
import { Fetcher } from '../../fetch/fetcher.ts';
import type { PrivateRule } from '../../fetch/private-rule.ts';
import type { FoundUrl, ParameterLesson, Store } from '../../store/contract.ts';
import { fetchOptions } from '../fetch-setup.ts';
import { LinkJudge } from '../link-judge.ts';
import type { LineSetup } from './host-line.ts';
import { MAX_PART_BYTES } from './report.ts';
import { ReportProofs } from './report-proofs.ts';

/** A part of a report is small, and the run waits for it. */
const LONGEST_HEADERS_MS = 10_000;
const LONGEST_PART_MS = 30_000;

export interface WatchersSetup {
  readonly store: Store;
  readonly standing: LineSetup['standing'];
  readonly clock: Clock;
  readonly options: CrawlOptions;
  readonly seeds: readonly string[];
  readonly lessons: readonly ParameterLesson[];
  readonly privateRule: PrivateRule;
  readonly rank: (found: FoundUrl) => void;
  /** Hears the ids of URLs that were made known. */
  readonly learned: (ids: readonly number[]) => void;
}

export function lineSetup({
  store,
  standing,
  clock,
  options,
  seeds,
  lessons,
  privateRule,
  rank,
  learned,
}: WatchersSetup): LineSetup {
  const limits = {
    // One at a time; but a report that was broken off must not keep its lease from being given back.
    connectionsPerHost: Math.max(2, options.perHost),
    maxBodyBytes: MAX_PART_BYTES,
    headersTimeoutMs: Math.min(options.headersTimeout, LONGEST_HEADERS_MS),
    totalTimeoutMs: Math.min(options.timeout, LONGEST_PART_MS),
  };
  const { guard } = standing;
  const maySend = guard === null ? undefined : () => guard.isGood();
  const fetcher = new Fetcher({ ...fetchOptions(options, privateRule), ...limits }, clock, maySend);
  const judge = new LinkJudge(options, seeds, lessons);
  const [reading, leaving] = [new AbortController(), new AbortController()];
  const proofs = options.leaseKey.length === 0 ? null : new ReportProofs(options.leaseKey);
  return { store, standing, options, fetcher, judge, rank, learned, proofs, reading, leaving, clock };
}
