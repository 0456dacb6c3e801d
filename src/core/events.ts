/**
 * Everything observable is an event on `node:diagnostics_channel` (decision 10). The progress line, the dashboard, metrics
 * and logs are listeners; a channel nobody listens to costs nothing, and no stage knows who does.
 */
import { channel } from 'node:diagnostics_channel';
import type { Reason } from './reasons.ts';

export interface CrawlEvents {
  /** A batch is in the store: what became of its URLs, and how long the commit took. */
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
  /** A host was taken up, or let go. */
  'crawl/host': { readonly host: string; readonly live: boolean };
  /** A query parameter of a host was found to change the content, or not to. */
  'crawl/lesson': {
    readonly host: string;
    readonly space: string;
    readonly name: string;
    readonly verdict: string;
  };
  /** Where the crawl stands, a few times a second. */
  'crawl/progress': CrawlProgress;
  /** Where a refresh stands. */
  'refresh/progress': RefreshProgress;
  /** Where a recovery stands. */
  'recover/progress': RecoverProgress;
  /** Old versions go: a step is done (crawl/retain.ts). */
  'retain/progress': RetainProgress;
  /** How far `verify` is. */
  'verify/progress': VerifyProgress;
  /** What a command that was told of changes has printed. */
  'refresh/said': { readonly line: string };
  /** Something a person should know; the crawl goes on. */
  'crawl/warning': { readonly message: string };
}

export interface CrawlProgress {
  readonly elapsedMs: number;
  readonly fetched: number;
  readonly pages: number;
  readonly waiting: number;
  readonly failed: number;
  readonly liveHosts: number;
  readonly underWay: number;
  readonly bytes: number;
  readonly limit: number;
}

export interface VerifyProgress {
  readonly phase: string;
  readonly bytes: number;
  /** Of all archive files of the database. */
  readonly totalBytes: number;
  readonly captures: number;
  readonly findings: number;
}

export interface RefreshProgress {
  readonly elapsedMs: number;
  /** Pages that are to be looked at, as far as is known, and those that were. */
  readonly planned: number;
  readonly looked: number;
  readonly newPages: number;
  readonly changed: number;
  readonly noise: number;
  /** Unchanged, and read anew for their links. */
  readonly reread: number;
  readonly gone: number;
  readonly failed: number;
  readonly requests: number;
  readonly bytes: number;
}

/** Files are read that are to be imported, archive files are listed, or their pages are added to the copy. */
export const RECOVER_STEPS = ['import', 'list', 'add'] as const;
export type RecoverStep = (typeof RECOVER_STEPS)[number];

export interface RecoverProgress {
  readonly elapsedMs: number;
  readonly step: RecoverStep;
  /** Records of this step so far; of all of them, where that is known. */
  readonly records: number;
  readonly ofRecords: number | null;
}

/**
 * Captures were judged and dropped; records were copied, and are on the disk; the store knows of it, and for good; the old
 * files are gone.
 */
export const RETAIN_STEPS = ['dropped', 'copied', 'written', 'moved', 'synced', 'removed'] as const;
export type RetainStep = (typeof RETAIN_STEPS)[number];

export interface RetainProgress {
  readonly step: RetainStep;
  readonly captures: number;
  readonly files: number;
  readonly bytesFreed: number;
}

/** Whether anybody listens: an event that is costly to put together need not be. */
export function isHeard(name: keyof CrawlEvents): boolean {
  return channel(`orbweaver/${name}`).hasSubscribers;
}

export function publish<Name extends keyof CrawlEvents>(name: Name, event: CrawlEvents[Name]): void {
  const target = channel(`orbweaver/${name}`);
  if (target.hasSubscribers) target.publish(event);
}

/** Calls back for each event until the returned function is called. */
export function listen<Name extends keyof CrawlEvents>(
  name: Name,
  callback: (event: CrawlEvents[Name]) => void,
): () => void {
  const listener = (event: unknown): void => callback(event as CrawlEvents[Name]);
  const target = channel(`orbweaver/${name}`);
  target.subscribe(listener);
  return () => target.unsubscribe(listener);
}
