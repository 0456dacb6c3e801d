/**
 * The watcher: joins rules, memory, detection, pace, ranks, reports and announcements, for one site or for many (W8).
 *
 * In: settings. Out: reports over HTTP, inside a program or as plain files. What always holds: nothing is
 * written before all settings are known to be valid; everything that was opened is closed, also if the
 * start fails; one pace limits all sites together.
 */
import { join } from 'node:path';
import { type Clock, systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { addressList } from './admit/client-address.ts';
import type { SweepResult } from './detect/detector.ts';
import { Pace } from './pace/pace.ts';
import { type ReportHandler, reportHandler } from './serve/handler.ts';
import { type Middleware, watcherMiddleware } from './serve/middleware.ts';
import { authorityOf, siteFor } from './serve/request-target.ts';
import { type ListenAt, ReportServer } from './serve/server.ts';
import { type SharedParts, type SiteStatus, SiteWatch } from './site-watch.ts';
import { checkStateFolder, siteFolderName } from './state-folder.ts';
import { rulesOf, type WatchSettings } from './watch-settings.ts';
import { listenAddress } from './watch-values.ts';

/**
 * CPU time that the start may use beyond the share: for loading the code and sweeping a site of some thousand pages.
 */
const START_MS = 1_000;

export interface WatcherStatus {
  /** Where reports are served, without a path; null if no server listens. */
  readonly listening: string | null;
  readonly sites: readonly SiteStatus[];
}

export interface WatcherHooks {
  warn?(line: string): void;
  /** Called between two steps of work. */
  tidy?(): void;
  readonly clock?: Clock;
  /** Query parameters that select another page of a program. */
  readonly parameters?: readonly string[];
}

export class SiteWatcher {
  readonly #settings: WatchSettings;
  readonly #hooks: WatcherHooks;
  readonly #sites = new Map<string, SiteWatch>();
  /** Approximate CPU time that questions took. */
  #answersMs = 0;
  #middlewares: ReadonlyMap<string, Middleware> = new Map();
  #server: ReportServer | null = null;
  #firstSweep: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(settings: WatchSettings, hooks: WatcherHooks = {}) {
    this.#settings = settings;
    this.#hooks = hooks;
  }

  /** Opens everything and listens. The first sweep continues afterwards. */
  async start(): Promise<void> {
    await this.#open();
    const handler = this.#handler();
    await this.#listen(handler);
    this.#middlewares = new Map(
      [...this.#sites].map(([authority, { served }]) => [authority, watcherMiddleware(handler, { served })]),
    );
    const swept = [...this.#sites.values()].map((site) => site.start());
    this.#firstSweep = Promise.all(swept).then(() => undefined);
  }

  /** Resolves when the first sweep of every site is done, or the watcher is closed. */
  get firstSweep(): Promise<void> {
    return this.#firstSweep;
  }

  /** Sweeps everything once and writes the files. Nothing runs afterwards. */
  async once(signal: AbortSignal): Promise<void> {
    await this.#open(true);
    signal.addEventListener('abort', () => void this.close());
    try {
      await this.sweep();
      for (const site of this.#sites.values()) await site.publish();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async sweep(): Promise<readonly SweepResult[]> {
    const results: SweepResult[] = [];
    for (const site of this.#sites.values()) {
      const result = await site.sweep();
      if (result !== null) results.push(result);
    }
    return results;
  }

  /** For a program that serves a site: answers requests for the watcher, and observes the other responses. */
  get middleware(): Middleware {
    return (request, response, next) => {
      const middleware = siteFor(this.#middlewares, request);
      if (middleware === null || middleware === undefined) next?.();
      else middleware(request, response, next);
    };
  }

  /**
   * Reports that a page of the program has changed, optionally with its content. Returns false if the URL is not a page
   * of a watched site, or if too many changes wait.
   */
  changed(url: string, content?: string | Uint8Array): boolean {
    const [site, path] = this.#siteOf(url);
    return site?.served.changed(path, content) ?? false;
  }

  deleted(url: string): boolean {
    const [site, path] = this.#siteOf(url);
    return site?.served.deleted(path) ?? false;
  }

  status(): WatcherStatus {
    const address = listenAddress(this.#settings.listen);
    const isOpen = this.#server !== null && address !== null;
    const host =
      address?.kind === 'tcp' && address.host.includes(':')
        ? `[${address.host}]`
        : address?.kind === 'tcp' && address.host;
    const at = address?.kind === 'unix' ? `unix:${address.path}:` : `http://${host}:${this.#server?.port}`;
    return { listening: isOpen ? at : null, sites: [...this.#sites.values()].map(({ status }) => status) };
  }

  /** Lets running work end and saves the state. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#server?.close();
    this.#server = null;
    for (const site of this.#sites.values()) await site.close();
  }

  async #open(isOnce = false): Promise<void> {
    const { sites, state, every, fileEvents, cpu, firstCpu, rush, maxLoad } = this.#settings;
    const { clock = systemClock, tidy, warn = () => {}, parameters = [] } = this.#hooks;
    addressList(this.#settings.trustProxy);
    const rules = sites.map((site) => ({ site, rules: rulesOf(site) }));
    const folders = rules.flatMap((each) => (each.rules?.roots ?? []).map(({ folder }) => folder));
    const folder = await checkStateFolder(state, folders);
    const isFirst = () => [...this.#sites.values()].some(({ isReady }) => !isReady);
    const pace = new Pace({
      // Read at each `pause()`, because the first sweep may have its own share.
      get share() {
        return isFirst() ? Math.max(firstCpu, cpu) : cpu;
      },
      startMs: START_MS,
      answersMs: () => this.#answersMs,
      isStarting: isFirst,
      rushHours: rush,
      maxLoad,
      clock,
      ...(tidy === undefined ? {} : { tidy }),
    });
    const shared: SharedParts = { pace, clock, everyMs: every, hasFileEvents: fileEvents, parameters, isOnce, warn };
    try {
      for (const each of rules) {
        const name = siteFolderName(each.site.site);
        const site = await SiteWatch.open(each.site, each.rules, join(folder, name), shared);
        this.#sites.set(authorityOf(each.site.site), site);
      }
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #handler(): ReportHandler {
    const { trustProxy } = this.#settings;
    const { warn, clock = systemClock } = this.#hooks;
    return reportHandler(
      [...this.#sites.values()].map(({ forHandler }) => forHandler),
      {
        trustedProxies: trustProxy,
        spent: (ms) => {
          this.#answersMs += ms;
        },
        clock,
        onFault: (error) => warn?.((error as Error).message),
      },
    );
  }

  async #listen(handler: ReportHandler): Promise<void> {
    const address = listenAddress(this.#settings.listen);
    if (address === null) return;
    const at: ListenAt =
      address.kind === 'unix' ? { socketPath: address.path } : { host: address.host, port: address.port };
    try {
      this.#server = await ReportServer.listen(handler, at);
    } catch (error) {
      await this.close();
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'EADDRINUSE' ? 'another program listens there; choose another port' : message;
      throw new OrbweaverError('ERR_BAD_OPTION', `--listen ${this.#settings.listen}: ${reason}`, { cause: error });
    }
  }

  /** A path alone belongs to the only site. */
  #siteOf(url: string): readonly [SiteWatch | undefined, string] {
    if (url.startsWith('/')) return [this.#sites.size === 1 ? [...this.#sites.values()][0] : undefined, url];
    try {
      const { origin, pathname, search } = new URL(url);
      return [this.#sites.get(authorityOf(origin)), pathname + search];
    } catch {
      return [undefined, url];
    }
  }
}
