import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { readCrawlerKeys } from './admit/crawler-keys.ts';
import { LeaseAdmission } from './admit/lease-admission.ts';
import { keyFile } from './announce/index-now.ts';
import { Detector, type SweepResult } from './detect/detector.ts';
import { SiteMemory } from './detect/site-memory.ts';
import { pathOf, rootOf } from './detect/site-view.ts';
import { Turns } from './detect/turns.ts';
import { AnnouncedMemory, LeftOutPages, ToldMemory } from './left-out-pages.ts';
import type { Pace } from './pace/pace.ts';
import { RankKeeper } from './rank-keeper.ts';
import type { WatchedPage } from './records.ts';
import { RenderedMemory } from './rendered-memory.ts';
import { LeaseKeeper } from './report/lease-keeper.ts';
import type { ReportSource } from './report/report-source.ts';
import { type NumberedRules, numberRoots } from './root-numbers.ts';
import { ServedPages } from './serve/served-pages.ts';
import type { ServedSite } from './serve/site-desk.ts';
import { type SiteRules, siteRules } from './site/site-rules.ts';
import { SiteExaminer } from './site-examiner.ts';
import { SiteOutlets } from './site-outlets.ts';
import type { SiteSettings } from './watch-settings.ts';

export interface SiteStatus {
  readonly site: string;
  readonly pages: number;
  /** Pages that are not told of (W6), as far as is known. */
  readonly leftOut: number;
  /** The number of the last change. */
  readonly changes: number;
  readonly isComplete: boolean;
  /** Files looked at by this process so far. */
  readonly looked: number;
  /** ISO 8601; null before the first sweep is done. */
  readonly sweptAt: string | null;
}

/** What the sites of a process share. */
export interface SharedParts {
  readonly pace: Pace;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly hasFileEvents: boolean;
  /** Query parameters that make another page of what a program serves. */
  readonly parameters: readonly string[];
  /** One look, and the process ends. */
  readonly isOnce: boolean;
  warn(line: string): void;
}

/** How often it is looked whether the first sweep is done, and then whether something is to be kept. */
const SOON_MS = 200;
const KEEP_MS = 30_000;

/** Rules alone touch nothing, so that all that can be wrong with settings is told before anything is written. */
export function rulesOf({ site, path, roots, index, dropExtension, types, include, exclude, assets }: SiteSettings) {
  if (roots.length === 0) return null;
  return siteRules({
    url: `${site}${path}`,
    roots: roots.map(({ folder, prefix }) => `${folder}=${prefix}`),
    indexNames: index,
    droppedExtensions: dropExtension,
    types,
    include,
    exclude,
    assets,
  });
}

async function admissionOf(settings: SiteSettings, warn: (line: string) => void): Promise<LeaseAdmission> {
  const { roots, leaseFor, leaseKeys, leaseFrom, leaseAnonymous, leaseTakes } = settings;
  const folders = roots.map(({ folder }) => folder);
  const keys = leaseKeys === null ? null : await readCrawlerKeys(leaseKeys, folders, warn);
  const share = { longestMs: leaseAnonymous, takesPerMinute: leaseTakes };
  return new LeaseAdmission({ leaseFor, keys, from: leaseFrom, ...share });
}

export class SiteWatch {
  readonly #settings: SiteSettings;
  readonly #rules: NumberedRules | null;
  readonly #shared: SharedParts;
  readonly #memory: SiteMemory;
  readonly #leftOut: LeftOutPages;
  readonly #ranks: RankKeeper;
  readonly #examiner: SiteExaminer;
  readonly #detector: Detector | null;
  readonly #lease: LeaseKeeper;
  readonly #admission: LeaseAdmission;
  readonly #source: ReportSource & { readonly memory: ToldMemory };
  /** What the handler serves as it is. */
  readonly #texts: Readonly<Record<string, string>>;
  readonly served: ServedPages;
  readonly #turns = new Turns();
  #looked = 0;
  #cancel: (() => void) | null = null;
  #isClosed = false;
  #outlets: SiteOutlets | null = null;

  private constructor(
    settings: SiteSettings,
    rules: NumberedRules | null,
    shared: SharedParts,
    memory: SiteMemory,
    leftOut: LeftOutPages,
    { lease, admission }: { readonly lease: LeaseKeeper; readonly admission: LeaseAdmission },
  ) {
    this.#settings = settings;
    this.#rules = rules;
    this.#texts = settings.indexnowKey === null ? {} : keyFile(settings.indexnowKey);
    this.#shared = shared;
    this.#memory = memory;
    this.#leftOut = leftOut;
    this.#lease = lease;
    this.#admission = admission;
    this.#ranks = new RankKeeper(memory, rules?.mainPage ?? settings.path, () => shared.pace.breathe());
    this.#examiner = new SiteExaminer(settings, rules, memory, this.#ranks, leftOut);
    this.#detector = rules === null ? null : this.#detectorFor(rules);
    const told = new ToldMemory(memory, leftOut, () => this.#ranks.isReady, {
      hasEvents: settings.events,
      isStillPage: this.#isStillPage,
    });
    this.#source = {
      site: settings.site,
      memory: told,
      rankOf: (page) => this.#ranks.rankOf(page),
      rankKey: () => this.#ranks.rankKey(),
    };
    this.served = new ServedPages(new RenderedMemory(memory, rules, settings.index), {
      parameters: shared.parameters,
      examine: (content, url) => this.#examiner.examine(content, url),
      nowMs: () => shared.clock.now(),
      onVolatile: (url) =>
        shared.warn(`${settings.site}${url} is other bytes each time it is served, and is not reported`),
      onFault: (error) => shared.warn((error as Error).message),
    });
  }

  static async open(
    settings: SiteSettings,
    rules: SiteRules | null,
    folder: string,
    shared: SharedParts,
  ): Promise<SiteWatch> {
    const leftOut = await LeftOutPages.open(folder);
    const memory = await SiteMemory.open(folder, shared.clock, {
      prepare: () => leftOut.keep(),
      tell: ({ message }) => shared.warn(`${settings.site}: ${message}`),
      breathe: () => shared.pace.breathe(),
    });
    try {
      const lease = await LeaseKeeper.open(join(folder, 'lease.json'), {
        reset: settings.leaseReset,
        restMs: settings.leasePeriod,
        longestMs: settings.leaseLongest,
        anonymousMs: settings.leaseAnonymous,
      });
      const admission = await admissionOf(settings, shared.warn);
      const numbered = rules === null ? null : numberRoots(rules, memory.roots);
      if (numbered !== null) await memory.nameRoots(numbered.known);
      const site = new SiteWatch(settings, numbered?.rules ?? null, shared, memory, leftOut, { lease, admission });
      await site.#openOutlets(folder);
      return site;
    } catch (error) {
      await memory.close();
      throw error;
    }
  }

  get forHandler(): ServedSite {
    const lease = { lease: this.#lease, admission: this.#admission };
    return { source: this.#source, ...lease, isUnmapped: !this.#settings.sitemap, texts: this.#texts };
  }

  get isReady(): boolean {
    return this.#source.memory.isComplete;
  }

  get status(): SiteStatus {
    const { pageCount, lastSeq, sweptAtMs } = this.#memory;
    return {
      site: this.#settings.site,
      pages: pageCount,
      leftOut: this.#leftOut.count,
      changes: lastSeq,
      isComplete: this.isReady,
      looked: this.#looked,
      sweptAt: this.#memory.isComplete ? new Date(sweptAtMs).toISOString() : null,
    };
  }

  /** Sweeps from now on. Resolves when the first one is done, or the site is closed. */
  async start(): Promise<void> {
    await this.#examiner.readMainPage();
    if (this.#detector === null) await this.#completeWithoutFiles();
    else this.#detector.start();
    return new Promise((resolve) => {
      const look = () => {
        if (this.isReady || this.#isClosed) resolve();
        if (this.#isClosed) return;
        this.#keepUp()
          .catch((error: Error) => this.#shared.warn(`${this.#settings.site}: ${error.message}`))
          .finally(() => {
            if (!this.#isClosed) this.#cancel = this.#shared.clock.after(this.isReady ? KEEP_MS : SOON_MS, look);
            if (this.isReady) resolve();
          });
      };
      look();
    });
  }

  async sweep(): Promise<SweepResult | null> {
    const result = this.#detector === null ? await this.#completeWithoutFiles() : await this.#detector.sweep();
    await this.#keepUp();
    return result;
  }

  /** All at once what a watcher that goes on does in time. */
  async tell(): Promise<void> {
    await this.#outlets?.tell();
  }

  async #openOutlets(folder: string): Promise<void> {
    const announced = new AnnouncedMemory(this.#memory, this.#leftOut, () => this.#ranks.isReady, {
      isStillPage: this.#isStillPage,
    });
    const lease = { lease: this.#lease, admission: this.#admission };
    const parts = { source: this.#source, announced, ...lease, texts: this.#texts };
    this.#outlets = await SiteOutlets.open(this.#settings, folder, this.#shared, parts);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancel?.();
    await this.#outlets?.stop();
    await this.#detector?.stop();
    await this.served.settled();
    const warn = (error: Error) => this.#shared.warn(`${this.#settings.site}: ${error.message}`);
    // On a full disk, too, the memory is closed and others may have the folder; these can be found out anew.
    await this.#leftOut.keep().catch(warn);
    await this.#ranks.close().catch(warn);
    await this.#memory.close();
  }

  /** What we write into the web root ourselves is no page, nor is what lies in a root of former days. */
  #urlOf(root: number, path: string): string | null {
    const url = this.#rules?.urlOf(root, path) ?? null;
    return url !== null && Object.hasOwn(this.#texts, url) ? null : url;
  }

  readonly #isStillPage = ({ key, url }: Pick<WatchedPage, 'key' | 'url'>): boolean => {
    const root = rootOf(key);
    return Number.isNaN(root) || this.#urlOf(root, pathOf(key)) === url;
  };

  #detectorFor(rules: NumberedRules): Detector {
    const { pace, clock, everyMs, hasFileEvents, warn } = this.#shared;
    const view = {
      roots: rules.roots,
      isWalked: (folder: string) => rules.isWalked(folder),
      urlOf: (root: number, path: string) => {
        this.#looked++;
        return this.#urlOf(root, path);
      },
      before: (root: number, path: string) => rules.before(root, path),
    };
    const examine = (content: Buffer, url: string, path: string) => this.#examiner.examine(content, url, path);
    return new Detector(this.#memory, view, pace, clock, examine, {
      everyMs,
      ...(hasFileEvents ? {} : { maxWatchedFolders: 0 }),
      tell: ({ message }) => warn(`${this.#settings.site}: ${message}`),
    });
  }

  /** Of a site that a program renders nothing is known before somebody asks for it. */
  async #completeWithoutFiles(): Promise<null> {
    const nowMs = this.#shared.clock.now();
    if (this.#memory.isComplete) await this.#memory.noteSweep(nowMs, []);
    else await this.#memory.firstListing().finish(nowMs, []);
    return null;
  }

  /** One after the other: who asks for a sweep may do so while another is looked after. */
  #keepUp(): Promise<void> {
    return this.#turns.take(() => this.#keepUpNow());
  }

  async #keepUpNow(): Promise<void> {
    if (this.#detector === null) await this.#completeWithoutFiles();
    const wasReady = this.isReady;
    await this.#ranks.count();
    if (this.isReady && wasReady) await this.#ranks.keep();
    await this.#leftOut.keep();
    if (this.isReady && !wasReady) await this.#outlets?.write();
  }
}
