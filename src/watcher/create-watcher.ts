/** The watcher for programs (`import { createWatcher } from 'orbweaver/watcher'`). docs/watcher.md explains its use. */
import type { SweepResult } from './detect/detector.ts';
import type { Middleware } from './serve/middleware.ts';
import type { SiteOptionName, WatchOptionName } from './watch-options.ts';
import { readConfig, resolveWatch } from './watch-settings.ts';
import { SiteWatcher, type WatcherStatus } from './watcher.ts';

export type { SweepResult } from './detect/detector.ts';
export type { Middleware } from './serve/middleware.ts';
export type { SiteStatus } from './site-watch.ts';
export type { WatcherStatus } from './watcher.ts';

/** A value as a flag or JSON writes it: `'60s'`, `'1%'`, `true`, `['index.html']`. */
export type GivenValue = string | number | boolean | readonly string[];

export interface SiteSettings extends Partial<Record<SiteOptionName, GivenValue>> {
  /** For example `https://www.example.org/`. */
  readonly url: string;
  /** The folder that is served at this URL. */
  readonly root?: string;
  /**
   * Folders by the path under which they are served: `{ '/docs/': '/srv/docs' }`. Without folders, the watcher only
   * knows the pages that the program serves.
   */
  readonly roots?: Readonly<Record<string, string>>;
}

/**
 * One site, or several with `sites`. The options are those of the command line. The
 * watcher listens only if `listen` is given.
 */
export interface WatcherSettings
  extends Partial<Omit<SiteSettings, 'url'>>,
    Partial<Record<WatchOptionName, GivenValue>> {
  readonly url?: string;
  readonly sites?: readonly SiteSettings[];
  /** Query parameters that select another page of the program. Requests with other parameters are not observed. */
  readonly parameters?: readonly string[];
  /** Receives warnings for the owner. */
  readonly onWarning?: (line: string) => void;
}

export interface Watcher {
  /**
   * Opens the stored state and begins to sweep. Resolves when questions are answered,
   * with 503 until the first sweep is done.
   */
  start(): Promise<void>;
  /** Resolves when the first sweep is done. */
  readonly firstSweep: Promise<void>;
  close(): Promise<void>;
  readonly middleware: Middleware;
  /**
   * Reports that a page of the program has changed. Returns false if the URL is not a page of a
   * watched site, or if too many changes wait.
   */
  changed(url: string, content?: string | Uint8Array): boolean;
  deleted(url: string): boolean;
  /** Sweeps all files once, after any running work. */
  sweep(): Promise<readonly SweepResult[]>;
  status(): WatcherStatus;
}

export function createWatcher({ parameters = [], onWarning, ...given }: WatcherSettings): Watcher {
  const { options, sites } = readConfig(given, 'createWatcher()');
  const sources = [{ from: 'configuration of createWatcher()', given: { listen: 'off', ...options } }];
  return new SiteWatcher(resolveWatch(sources, sites), { parameters, ...(onWarning ? { warn: onWarning } : {}) });
}
