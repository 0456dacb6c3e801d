/**
 * Everything observable is an event on `node:diagnostics_channel` (decision 10). The progress line, the dashboard,
 * metrics and logs are listeners. A channel without listeners costs nothing, and no stage knows its listeners.
 */
import { channel } from 'node:diagnostics_channel';
import type { Reason } from './reasons.ts';
import type { StageTiming } from './stage-times.ts';

export interface CrawlEvents {
  /** A batch was committed to the store: the results of its URLs and the duration of the commit. */
  'crawl/commit': {
    readonly results: readonly {
      readonly id: number;
      readonly state: string | null;
      readonly reason: Reason | null;
      readonly bytes: number;
    }[];
    readonly discovered: number;
    readonly tookMs: number;
  };
  /** Work on a host began or ended. */
  'crawl/host': { readonly host: string; readonly live: boolean };
  /** The crawl learned whether a query parameter of a host changes the content. */
  'crawl/lesson': {
    readonly host: string;
    readonly space: string;
    readonly name: string;
    readonly verdict: string;
  };
  /** The progress of the crawl, a few times a second. */
  'crawl/progress': CrawlProgress;
  /**
   * The times of all stages since the run began, about once a second and at the end of the run. They are measured only
   * while this event has a listener. In a process with several runs, the stages of the controller (`commit`, `rank`)
   * include those of the other runs.
   */
  'crawl/stages': { readonly elapsedMs: number; readonly stages: readonly StageTiming[] };
  'refresh/progress': RefreshProgress;
  'recover/progress': RecoverProgress;
  /** A step of dropping old versions is done (crawl/retention/retain.ts). */
  'retain/progress': RetainProgress;
  'verify/progress': VerifyProgress;
  'files/progress': FilesProgress;
  /** A line that the command of `--on-change` printed. */
  'refresh/said': { readonly line: string };
  /** A message for the user. The crawl continues. */
  'crawl/warning': { readonly message: string };
}

export interface CrawlProgress {
  readonly elapsedMs: number;
  readonly fetched: number;
  readonly pages: number;
  readonly waiting: number;
  /** Includes the waiting URLs that failed before. */
  readonly failed: number;
  /** The reason of the newest failure; null if nothing has failed. */
  readonly trouble: Reason | null;
  readonly liveHosts: number;
  readonly underWay: number;
  readonly bytes: number;
  readonly limit: number;
}

export interface VerifyProgress {
  readonly phase: string;
  readonly bytes: number;
  /** Bytes of all archive files that the database knows. */
  readonly totalBytes: number;
  readonly captures: number;
  readonly findings: number;
}

export interface FilesProgress {
  readonly elapsedMs: number;
  /** The steps: read the known URLs, write the files. */
  readonly step: 'plan' | 'write';
  /** URLs or files of this step so far, and the number of all files if it is known. */
  readonly done: number;
  readonly of: number | null;
  readonly bytes: number;
}

export interface RefreshProgress {
  readonly elapsedMs: number;
  /** Pages to visit, as far as known, and pages already visited. */
  readonly planned: number;
  readonly looked: number;
  readonly newPages: number;
  readonly changed: number;
  readonly noise: number;
  /** Unchanged pages that were parsed again for their links. */
  readonly reread: number;
  readonly gone: number;
  readonly failed: number;
  /** The reason of the newest failure; null if nothing has failed. */
  readonly trouble: Reason | null;
  readonly requests: number;
  readonly bytes: number;
}

/** The steps: read the files to import, list the archive files, add their pages to the copy. */
const RECOVER_STEPS = ['import', 'list', 'add'] as const;
export type RecoverStep = (typeof RECOVER_STEPS)[number];

export interface RecoverProgress {
  readonly elapsedMs: number;
  readonly step: RecoverStep;
  /** Records of this step so far, and their total number if it is known. */
  readonly records: number;
  readonly ofRecords: number | null;
}

/**
 * The steps: captures were judged and dropped; records were copied; the copies are on the disk; the store has the new
 * locations; the store has synced them to the disk; the old files were removed.
 */
const RETAIN_STEPS = ['dropped', 'copied', 'written', 'moved', 'synced', 'removed'] as const;
export type RetainStep = (typeof RETAIN_STEPS)[number];

export interface RetainProgress {
  readonly step: RetainStep;
  readonly captures: number;
  readonly files: number;
  readonly bytesFreed: number;
}

/** True if the event has a listener. Without one, an event that is expensive to build can be skipped. */
export function isHeard(name: keyof CrawlEvents): boolean {
  return channel(`orbweaver/${name}`).hasSubscribers;
}

export function publish<Name extends keyof CrawlEvents>(name: Name, event: CrawlEvents[Name]): void {
  const target = channel(`orbweaver/${name}`);
  if (target.hasSubscribers) target.publish(event);
}

/** Calls `callback` for each event until the returned function is called. */
export function listen<Name extends keyof CrawlEvents>(
  name: Name,
  callback: (event: CrawlEvents[Name]) => void,
): () => void {
  const listener = (event: unknown): void => callback(event as CrawlEvents[Name]);
  const target = channel(`orbweaver/${name}`);
  target.subscribe(listener);
  return () => target.unsubscribe(listener);
}
