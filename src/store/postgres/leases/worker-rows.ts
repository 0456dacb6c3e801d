/** Converts rows of workers into records. */
import type { WorkerNews, WorkerRecord } from '../../cluster.ts';
import { isAliveAt } from './lease-conditions.ts';

export interface WorkerRow {
  readonly owner: string;
  readonly name: string;
  readonly life: number;
  readonly machine: string;
  readonly pid: number;
  readonly archive_dir: string;
  readonly joined_at: number;
  readonly beat_at: number;
  readonly is_alive: boolean;
  readonly news: WorkerNews;
}

/** The news of a worker that has just joined. */
export const NO_NEWS: WorkerNews = {
  pages: 0,
  pagesPerSecond: 0,
  failures: 0,
  rssMb: 0,
  liveHosts: 0,
  underWay: 0,
  units: 0,
  window: 0,
  isIdle: true,
  isDraining: false,
  hostsWanted: 0,
  lastError: null,
};

/** The columns of `WorkerRow`, from table `w`; `t.now` is the server's time. */
export const WORKER_COLUMNS = `w.owner, w.name, w.life, w.machine, w.pid, w.archive_dir, w.joined_at, w.beat_at, w.news, ${isAliveAt('t.now', 'w.')} AS is_alive`;

export function toWorker(row: WorkerRow): WorkerRecord {
  return {
    ...NO_NEWS,
    ...row.news,
    name: row.name,
    owner: row.owner,
    life: Number(row.life),
    machine: row.machine,
    pid: row.pid,
    archiveDir: row.archive_dir,
    joinedAtMs: Number(row.joined_at),
    beatAtMs: Number(row.beat_at),
    isAlive: row.is_alive,
  };
}
