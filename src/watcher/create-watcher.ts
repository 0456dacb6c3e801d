/** The watcher for programs (`import { createWatcher } from 'orbweaver/watcher'`); docs/watcher.md tells how. */
import type { SweepResult } from './detect/detector.ts';
import type { Middleware } from './serve/middleware.ts';
import type { SiteOptionName, WatchOptionName } from './watch-options.ts';
import { readConfig, resolveWatch } from './watch-settings.ts';
import { SiteWatcher, type WatcherStatus } from './watcher.ts';

export type { SweepResult } from './detect/detector.ts';
export type { Middleware } from './serve/middleware.ts';
export type { SiteStatus } from './site-watch.ts';
export type { WatcherStatus } from './watcher.ts';

/** As a flag takes it, or as JSON has it: `'60s'`, `'1%'`, `true`, `['index.html']`. */
export type GivenValue = string | number | boolean | readonly string[];

export interface SiteSettings extends Partial<Record<SiteOptionName, GivenValue>> {
  /** `https://www.example.org/`. */
  readonly url: string;
  /** The folder that is served as that. */
  readonly root?: string;
  /** Folders by the path they are served below: `{ '/docs/': '/srv/docs' }`. Without any, only what the program serves is known. */
  readonly roots?: Readonly<Record<string, string>>;
}

/** One site, or several with `sites`. Options are those of the command line; nothing listens unless `listen` says where. */
export interface WatcherSettings
  extends Partial<Omit<SiteSettings, 'url'>>,
    Partial<Record<WatchOptionName, GivenValue>> {
  readonly url?: string;
  readonly sites?: readonly SiteSettings[];
  /** Query parameters that make another page of what the program serves; requests with others are not observed. */
  readonly parameters?: readonly string[];
  /** Hears what an owner should know. */
  readonly onWarning?: (line: string) => void;
}

export interface Watcher {
  /** Opens what is kept and begins to sweep; resolves when questions are answered, with 503 until the first sweep is done. */
  start(): Promise<void>;
  /** Resolves when the first sweep is done. */
  readonly firstSweep: Promise<void>;
  close(): Promise<void>;
  readonly middleware: Middleware;
  /** A page that the program renders is another now. False: it is none of ours. */
  changed(url: string, content?: string | Uint8Array): boolean;
  deleted(url: string): boolean;
  /** One look at all files, after whatever is under way. */
  sweep(): Promise<readonly SweepResult[]>;
  status(): WatcherStatus;
}

export function createWatcher({ parameters = [], onWarning, ...given }: WatcherSettings): Watcher {
  const { options, sites } = readConfig(given, 'createWatcher()');
  const sources = [{ from: 'configuration of createWatcher()', given: { listen: 'off', ...options } }];
  return new SiteWatcher(resolveWatch(sources, sites), { parameters, ...(onWarning ? { warn: onWarning } : {}) });
}
