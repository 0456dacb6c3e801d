/** The workers of a cluster, for `status`: which ones are alive, draining or dead, and what each of them does. */

import { columns, count, indented, plural, safeText, sizeText, spanText } from '../core/text/readable.ts';
import type { WorkerRecord } from '../store/cluster.ts';

const WORKER_STATES = ['starting', 'working', 'idle', 'draining', 'dead'] as const;
export type WorkerState = (typeof WORKER_STATES)[number];

/** The part of `status --json` about a cluster. The fields are a contract. */
export interface ClusterStatus {
  /** Workers that are not dead, and the pages that they fetch per second together. */
  readonly alive: number;
  readonly pagesPerSecond: number;
  readonly workers: readonly WorkerStatus[];
}

export interface WorkerStatus {
  readonly name: string;
  readonly state: WorkerState;
  readonly machine: string;
  readonly pid: number;
  /** Pages since the worker joined. */
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly errors: number;
  readonly memoryMb: number;
  readonly hosts: number;
  readonly requests: number;
  /** Threads and concurrent requests that the worker currently allows itself. */
  readonly units: number;
  readonly concurrency: number;
  readonly archive: string;
  readonly joinedAt: string;
  readonly heardAt: string;
  readonly silentSeconds: number;
  readonly lastError: string | null;
}

const MOST_SHOWN = 100;
const MOST_ERROR_CHARS = 120;

export function clusterStatus(records: readonly WorkerRecord[], nowMs: number): ClusterStatus {
  const workers = records
    .toSorted((left, right) => Number(right.isAlive) - Number(left.isAlive) || compare(left.name, right.name))
    .map((record) => workerStatus(record, nowMs));
  const alive = workers.filter(({ state }) => state !== 'dead');
  const rate = alive.reduce((sum, { pagesPerSecond }) => sum + pagesPerSecond, 0);
  return { alive: alive.length, pagesPerSecond: Number(rate.toFixed(1)), workers };
}

function workerStatus(record: WorkerRecord, nowMs: number): WorkerStatus {
  const { name, machine, pid, pages, failures, rssMb, liveHosts, underWay, units, window } = record;
  return {
    name,
    state: stateOf(record),
    machine,
    pid,
    pages,
    // A dead worker does nothing, whatever its last report said.
    pagesPerSecond: record.isAlive ? Number(record.pagesPerSecond.toFixed(1)) : 0,
    errors: failures,
    memoryMb: Math.round(rssMb),
    hosts: record.isAlive ? liveHosts : 0,
    requests: record.isAlive ? underWay : 0,
    units,
    concurrency: window,
    archive: record.archiveDir,
    joinedAt: new Date(record.joinedAtMs).toISOString(),
    heardAt: new Date(record.beatAtMs).toISOString(),
    silentSeconds: Number((Math.max(0, nowMs - record.beatAtMs) / 1_000).toFixed(1)),
    lastError: record.lastError,
  };
}

function stateOf({ isAlive, isDraining, isIdle, window }: WorkerRecord): WorkerState {
  if (!isAlive) return 'dead';
  if (isDraining) return 'draining';
  // A working worker always allows itself at least one request. This one has joined and has not reported yet.
  if (window === 0) return 'starting';
  return isIdle ? 'idle' : 'working';
}

const HEAD = ['worker', '', 'machine', 'pages', 'pages/s', 'memory', 'hosts', 'requests', 'errors', 'last heartbeat'];

export function clusterLines({ alive, pagesPerSecond, workers }: ClusterStatus): string[] {
  if (workers.length === 0) return ['No worker is active. To join: orbweaver work'];
  const shown = workers.slice(0, MOST_SHOWN);
  const more = workers.length - shown.length;
  const dead = workers.length - alive;
  return [
    `Workers: ${count(alive)} active, ${rateText(pagesPerSecond)} pages/s${dead > 0 ? `; ${count(dead)} dead` : ''}.`,
    ...indented(columns([HEAD, ...shown.map(rowOf)])),
    ...(more > 0 ? [`  … and ${plural(more, 'more worker')} (--json)`] : []),
    ...shown.flatMap(({ name, lastError }) =>
      lastError === null ? [] : [`  ${name}, last error: ${safeText(lastError).slice(0, MOST_ERROR_CHARS)}`],
    ),
  ];
}

function rowOf(worker: WorkerStatus): (string | number)[] {
  const { name, state, machine, pages, memoryMb, hosts, requests, errors, silentSeconds } = worker;
  return [
    safeText(name),
    state,
    safeText(machine),
    pages,
    rateText(worker.pagesPerSecond),
    sizeText(memoryMb * 1_000_000),
    hosts,
    requests,
    errors,
    silentSeconds < 1 ? 'now' : `${spanText(1_000 * silentSeconds)} ago`,
  ];
}

function rateText(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : count(Math.round(rate));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
