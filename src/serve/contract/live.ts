/** What a run does at this moment, and how it went so far. */
import {
  decimal,
  flag,
  type Infer,
  list,
  named,
  nullable,
  object,
  oneOf,
  record,
  text,
  whole,
} from '../schema/schema.ts';
import { count, RUN_STATES, reason, time, url } from './copies.ts';

/** WBC's units (W11), and what they do. */
export const unitWork = named(
  'UnitWork',
  object({
    name: oneOf(['controller', 'crawler', 'link extractor', 'AJAX unit', 'link sorter']),
    threads: count,
    busy: decimal({ about: 'share of the last second in which the unit worked, 0 to 1' }),
    handled: whole({ about: 'URLs or batches that the unit has worked on in this run' }),
  }),
);

export const worker = named(
  'Worker',
  object({
    name: text(),
    state: oneOf(['starting', 'working', 'idle', 'draining', 'dead']),
    machine: text(),
    pages: count,
    pagesPerSecond: decimal(),
    errors: count,
    memoryMb: count,
    hosts: count,
    requests: count,
    silentSeconds: decimal(),
    lastError: nullable(text({ maxLength: 2_000 })),
  }),
);

/** The newest figures of a run. */
export const run = named(
  'Run',
  object({
    id: text({ about: 'another id means another run' }),
    kind: oneOf(['crawl', 'refresh']),
    state: oneOf(RUN_STATES),
    startedAt: time,
    updatedAt: time,
    elapsedMs: count,
    pages: whole({ about: 'pages of the copy; in a refresh: visited pages' }),
    of: nullable(whole({ about: 'pages until the limit or the end of the plan' })),
    fetched: count,
    waiting: count,
    failed: count,
    errors: record(count, 'failures of this run by reason'),
    changed: count,
    bytes: count,
    hosts: count,
    requests: count,
    pagesPerSecond: decimal(),
    bytesPerSecond: decimal(),
    memoryMb: count,
    cpu: decimal({ about: 'cores in use' }),
    leftMs: nullable(whole({ about: 'estimated time until the end' })),
    units: list(unitWork, 10),
    ending: nullable(text({ about: 'how the run ended; null while it runs' })),
    warnings: list(object({ at: time, message: text({ maxLength: 1_000 }) }), 20),
  }),
);
export type Run = Infer<typeof run>;

/** A chart over the run: rows of equal length, oldest point first. */
export const chart = named(
  'Chart',
  object({
    times: list(count, 1_000, 'milliseconds since the start of the run'),
    pagesPerSecond: list(decimal(), 1_000),
    bytesPerSecond: list(decimal(), 1_000),
    waiting: list(count, 1_000),
    failed: list(count, 1_000),
    memoryMb: list(decimal(), 1_000),
    cpu: list(decimal(), 1_000),
  }),
);
export type Chart = Infer<typeof chart>;

export const latestPage = named(
  'LatestPage',
  object({
    url,
    title: text(),
    state: text({ maxLength: 20 }),
    reason: nullable(reason),
    bytes: count,
    at: nullable(time),
  }),
);
export type LatestPage = Infer<typeof latestPage>;

export const live = named(
  'Live',
  object({
    run: nullable(run),
    chart: nullable(chart),
    latest: list(latestPage, 50, 'newest first'),
    workers: list(worker, 1_000),
    isStale: flag('the run has not reported for some seconds; it may have been killed'),
  }),
);
export type Live = Infer<typeof live>;
