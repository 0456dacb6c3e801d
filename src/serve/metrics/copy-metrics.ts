/**
 * The metrics of copies and of their runs. In: what the API knows of each copy, and the live state of its run. Out:
 * series.
 *
 * What always holds: at most 30 series for a copy. No label is a host or a URL. Reasons and stages, of which there are
 * many, are summed over all copies.
 */
import { STAGE_BUCKETS_MS } from '../../core/stage-times.ts';
import type { LiveState } from '../../crawl/live/live-file.ts';
import type { CopyDetail } from '../contract/copies.ts';
import type { MetricText } from './metric-text.ts';

export interface CopyFigures {
  readonly copy: string;
  /** Null if the copy cannot be read at the moment. */
  readonly detail: CopyDetail | null;
  /** The run that works; null if none does. */
  readonly live: LiveState | null;
}

const BYTES_PER_MB = 1e6;

export function writeCopies(text: MetricText, copies: readonly CopyFigures[]): void {
  for (const { copy, detail, live } of copies) {
    text.add('gauge', 'orbweaver_copy_readable', 'Whether the copy can be read.', detail === null ? 0 : 1, { copy });
    text.add(
      'gauge',
      'orbweaver_run_active',
      'Whether a crawl or a refresh of the copy works.',
      live === null ? 0 : 1,
      {
        copy,
      },
    );
    if (detail !== null) writeCopy(text, copy, detail);
    if (live !== null) writeRun(text, copy, live);
  }
  writeReasons(text, copies);
  writeStages(text, copies);
}

function writeCopy(text: MetricText, copy: string, detail: CopyDetail): void {
  const gauge = (name: string, help: string, value: number | null) => text.add('gauge', name, help, value, { copy });
  const { summary, archive, search } = detail;
  for (const [state, urls] of Object.entries(detail.states)) {
    text.add('gauge', 'orbweaver_urls', 'Known URLs, by state.', urls, { copy, state });
  }
  gauge('orbweaver_urls_retrying', 'URLs that failed and are tried again.', detail.retrying);
  gauge('orbweaver_hosts', 'Hosts of the copy.', summary.hosts);
  gauge('orbweaver_content_bytes', 'Size of the content of all pages of the copy.', summary.bytes);
  gauge('orbweaver_archive_bytes', 'Size of the archive.', archive.bytes);
  gauge('orbweaver_damaged_responses', 'Responses that are damaged in the archive.', detail.damaged);
  const received = 'Bytes that the copy has received from the network, in all runs.';
  text.add('counter', 'orbweaver_received_bytes_total', received, detail.receivedBytes, { copy });
  text.add('counter', 'orbweaver_changes_total', 'Changes that were found, in all runs.', summary.changes, { copy });
  const behind = detail.followers.flatMap((follower) => (follower.behind === null ? [] : [follower.behind]));
  const lag = behind.length === 0 ? null : Math.max(...behind);
  gauge('orbweaver_follower_lag_changes', 'Changes that the slowest follower has not processed.', lag);
  gauge('orbweaver_search_pages', 'Pages in the search index.', search?.pages ?? null);
  gauge('orbweaver_search_lag_pages', 'Pages that the search index does not have yet.', search?.behind ?? null);
  const refreshed = detail.summary.refreshedAt === null ? null : Date.parse(detail.summary.refreshedAt) / 1_000;
  gauge('orbweaver_last_visit_timestamp_seconds', 'When a page of the copy was visited last.', refreshed);
}

function writeRun(text: MetricText, copy: string, { figures, rates }: LiveState): void {
  const labels = { copy };
  const { fetched, requests, bytes, failed, hosts } = figures;
  text.add('counter', 'orbweaver_run_pages_total', 'Pages that the run has fetched.', fetched, labels);
  text.add('counter', 'orbweaver_run_requests_total', 'Requests that the run has sent.', requests, labels);
  text.add('counter', 'orbweaver_run_received_bytes_total', 'Bytes that the run has received.', bytes, labels);
  text.add(
    'gauge',
    'orbweaver_run_failed_urls',
    'URLs that are without a page in the run, because they failed.',
    failed,
    labels,
  );
  text.add('gauge', 'orbweaver_run_live_hosts', 'Hosts that the run works on.', hosts, labels);
  text.add(
    'gauge',
    'orbweaver_run_memory_bytes',
    'Memory of the process of the run.',
    rates.memoryMb * BYTES_PER_MB,
    labels,
  );
  text.add('gauge', 'orbweaver_run_cpu_cores', 'Cores that the run uses.', rates.cpu, labels);
}

function writeReasons(text: MetricText, copies: readonly CopyFigures[]): void {
  const urls = summed(copies.map(({ detail }) => detail?.reasons ?? {}));
  for (const [reason, count] of urls) {
    const help = 'URLs of all copies without a page or with a flaw, by reason.';
    text.add('gauge', 'orbweaver_urls_by_reason', help, count, { reason });
  }
  const failures = summed(copies.map(({ live }) => (live?.figures.errors ?? {}) as Readonly<Record<string, number>>));
  for (const [reason, count] of failures) {
    text.add('counter', 'orbweaver_run_failures_total', 'Failures of all runs that work, by reason.', count, {
      reason,
    });
  }
}

function summed(tables: readonly Readonly<Record<string, number>>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const table of tables) {
    for (const [reason, count] of Object.entries(table)) sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  return sums;
}

function writeStages(text: MetricText, copies: readonly CopyFigures[]): void {
  const bounds = STAGE_BUCKETS_MS.map((ms) => ms / 1_000);
  const stages = new Map<string, { counts: number[]; sum: number }>();
  for (const { stage, tookMs, buckets } of copies.flatMap(({ live }) => live?.stages ?? [])) {
    const known = stages.get(stage) ?? { counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 };
    for (const i of known.counts.keys()) known.counts[i]! += buckets[i] ?? 0;
    known.sum += tookMs / 1_000;
    stages.set(stage, known);
  }
  for (const [stage, { counts, sum }] of stages) {
    const help = 'Times of the stages that a URL passes, in all runs that work.';
    text.addHistogram('orbweaver_stage_duration_seconds', help, { bounds, counts, sum }, { stage });
  }
}
