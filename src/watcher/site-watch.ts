import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { readCrawlerKeys } from './admit/crawler-keys.ts';
import { LeaseAdmission } from './admit/lease-admission.ts';
import { keyFile } from './announce/index-now.ts';
import { Detector, type SweepResult } from './detect/detector.ts';
import { pathOf, rootOf } from './detect/site-view.ts';
import { LeftOutPages, ReportedMemory } from './left-out-pages.ts';
import { SerialQueue } from './memory/serial-queue.ts';
import { SiteMemory } from './memory/site-memory.ts';
import type { Pace } from './pace/pace.ts';
import { RankKeeper } from './rank-keeper.ts';
import type { WatchedPage } from './records.ts';
import { RenderedMemory } from './rendered-memory.ts';
import { LeaseKeeper } from './report/lease-keeper.ts';
import type { ReportSource } from './report/report-source.ts';
import { type NumberedRules, numberRoots } from './root-numbers.ts';
import { ServedPages } from './serve/served-pages.ts';
import type { ServedSite } from './serve/site-endpoint.ts';
import type { SiteRules } from './site/site-rules.ts';
import { type ExaminerParts, SiteExaminer } from './site-examiner.ts';
import { SiteOutlets } from './site-outputs.ts';
import type { SiteSettings } from './watch-settings.ts';

export interface SiteStatus {
  readonly site: string;
  readonly pages: number;
  /** Number of known pages that are not reported (W6). */
  readonly leftOut: number;
  /** The number of the last change. */
  readonly changes: number;
  readonly isComplete: boolean;
  /** Number of files that this process has checked so far. */
  readonly looked: number;
  /** ISO 8601; null before the first sweep is done. */
  readonly sweptAt: string | null;
}

/** The parts that all sites of a process share. */
export interface SharedParts {
  readonly pace: Pace;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly hasFileEvents: boolean;
  /** Query parameters that select another page of a program. */
  readonly parameters: readonly string[];
  /** The process sweeps once and ends. */
  readonly isOnce: boolean;
  warn(line: string): void;
}

/** The parts of one site, opened. */
interface SiteParts extends Omit<ExaminerParts, 'ranks'> {
  readonly shared: SharedParts;
  readonly memory: SiteMemory;
  readonly lease: LeaseKeeper;
  readonly admission: LeaseAdmission;
}

/** Intervals of the checks whether the first sweep is done, and later whether something must be stored. */
const SOON_MS = 200;
const KEEP_MS = 30_000;

async function admissionOf(settings: SiteSettings, warn: (line: string) => void): Promise<LeaseAdmission> {
  const { roots, leaseFor, leaseKeys, leaseFrom, leaseAnonymous, leaseTakes } = settings;
  const folders = roots.map(({ folder }) => folder);
  const keys = leaseKeys === null ? null : await readCrawlerKeys(leaseKeys, folders, warn);
  const share = { longestMs: leaseAnonymous, takesPerMinute: leaseTakes };
  return new LeaseAdmission({ leaseFor, keys, from: leaseFrom, ...share });
}

export class SiteWatch {
  readonly #parts: SiteParts;
  readonly #ranks: RankKeeper;
  readonly #examiner: SiteExaminer;
  readonly #detector: Detector | null;
  readonly #source: ReportSource & { readonly memory: ReportedMemory };
  /** Texts that the handler serves as they are. */
  readonly #texts: Readonly<Record<string, string>>;
  readonly served: ServedPages;
  readonly #turns = new SerialQueue();
  #checkedFiles = 0;
  #cancel: (() => void) | null = null;
  #isClosed = false;
  #outlets: SiteOutlets | null = null;

  private constructor(parts: SiteParts) {
    const { settings, rules, shared, memory, leftOut } = parts;
    this.#parts = parts;
    this.#texts = settings.indexnowKey === null ? {} : keyFile(settings.indexnowKey);
    this.#ranks = new RankKeeper(memory, rules?.mainPage ?? settings.path, () => shared.pace.pause());
    this.#examiner = new SiteExaminer({ ...parts, ranks: this.#ranks });
    this.#detector = rules === null ? null : this.#detectorFor(rules);
    const reported = new ReportedMemory(memory, leftOut, () => this.#ranks.isReady, {
      hasEvents: settings.events,
      isStillPage: this.#isStillPage,
    });
    this.#source = {
      site: settings.site,
      memory: reported,
      rankOf: (page) => this.#ranks.rankOf(page),
      rankKey: () => this.#ranks.rankKey(),
    };
    this.served = new ServedPages(new RenderedMemory(memory, rules, settings.index), {
      parameters: shared.parameters,
      examine: (content, url) => this.#examiner.examine(content, url),
      nowMs: () => shared.clock.now(),
      onVolatile: (url) =>
        shared.warn(`${settings.site}${url} has different content in each response, so it is not reported`),
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
      notify: ({ message }) => shared.warn(`${settings.site}: ${message}`),
      pause: () => shared.pace.pause(),
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
      const opened = { memory, leftOut, lease, admission };
      const site = new SiteWatch({ settings, rules: numbered?.rules ?? null, shared, ...opened });
      await site.#openOutlets(folder);
      return site;
    } catch (error) {
      await memory.close();
      throw error;
    }
  }

  get forHandler(): ServedSite {
    const { settings, lease, admission } = this.#parts;
    return { source: this.#source, lease, admission, isUnmapped: !settings.sitemap, texts: this.#texts };
  }

  get isReady(): boolean {
    return this.#source.memory.isComplete;
  }

  get status(): SiteStatus {
    const { settings, memory, leftOut } = this.#parts;
    return {
      site: settings.site,
      pages: memory.pageCount,
      leftOut: leftOut.count,
      changes: memory.lastSeq,
      isComplete: this.isReady,
      looked: this.#checkedFiles,
      sweptAt: memory.isComplete ? new Date(memory.sweptAtMs).toISOString() : null,
    };
  }

  /** Starts regular sweeps. Resolves when the first sweep is done or the site is closed. */
  async start(): Promise<void> {
    await this.#examiner.readMainPage();
    if (this.#detector === null) await this.#completeWithoutFiles();
    else this.#detector.start();
    return new Promise((resolve) => {
      const check = () => {
        if (this.isReady || this.#isClosed) resolve();
        if (this.#isClosed) return;
        this.#keepUp()
          .catch((error: Error) => this.#warn(error))
          .finally(() => {
            if (!this.#isClosed) this.#cancel = this.#parts.shared.clock.after(this.isReady ? KEEP_MS : SOON_MS, check);
            if (this.isReady) resolve();
          });
      };
      check();
    });
  }

  async sweep(): Promise<SweepResult | null> {
    const result = this.#detector === null ? await this.#completeWithoutFiles() : await this.#detector.sweep();
    await this.#keepUp();
    return result;
  }

  /** Does at once the output work that a running watcher does over time. */
  async publish(): Promise<void> {
    await this.#outlets?.publish();
  }

  async #openOutlets(folder: string): Promise<void> {
    const { settings, shared, memory, leftOut, lease, admission } = this.#parts;
    const announced = new ReportedMemory(memory, leftOut, () => this.#ranks.isReady, {
      isStillPage: this.#isStillPage,
      isAnnounced: true,
    });
    const parts = { source: this.#source, announced, lease, admission, texts: this.#texts };
    this.#outlets = await SiteOutlets.open(settings, folder, shared, parts);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancel?.();
    await this.#outlets?.stop();
    await this.#detector?.stop();
    await this.served.settled();
    const warn = (error: Error) => this.#warn(error);
    // Even on a full disk the memory must be closed, so that other processes can use the
    // folder. These two files can be built again.
    await this.#parts.leftOut.keep().catch(warn);
    await this.#ranks.close().catch(warn);
    await this.#parts.memory.close();
  }

  /** Files that the watcher itself writes into the web root are not pages, and neither are files in former roots. */
  #urlOf(root: number, path: string): string | null {
    const url = this.#parts.rules?.urlOf(root, path) ?? null;
    return url !== null && Object.hasOwn(this.#texts, url) ? null : url;
  }

  readonly #isStillPage = ({ key, url }: Pick<WatchedPage, 'key' | 'url'>): boolean => {
    const root = rootOf(key);
    return Number.isNaN(root) || this.#urlOf(root, pathOf(key)) === url;
  };

  #detectorFor(rules: NumberedRules): Detector {
    const { memory, shared } = this.#parts;
    const { pace, clock, everyMs, hasFileEvents } = shared;
    const view = {
      roots: rules.roots,
      isWalked: (folder: string) => rules.isWalked(folder),
      urlOf: (root: number, path: string) => {
        this.#checkedFiles++;
        return this.#urlOf(root, path);
      },
      before: (root: number, path: string) => rules.before(root, path),
    };
    const examine = (content: Buffer, url: string, path: string) => this.#examiner.examine(content, url, path);
    const parts = { memory, view, pace, clock, examine };
    return new Detector(parts, {
      everyMs,
      ...(hasFileEvents ? {} : { maxWatchedFolders: 0 }),
      notify: (notice) => this.#warn(notice),
    });
  }

  #warn({ message }: { readonly message: string }): void {
    this.#parts.shared.warn(`${this.#parts.settings.site}: ${message}`);
  }

  /** A site that a program renders has no known pages before a visitor requests one. */
  async #completeWithoutFiles(): Promise<null> {
    const { memory, shared } = this.#parts;
    if (memory.isComplete) await memory.noteSweep(shared.clock.now(), []);
    else await memory.firstListing().finish(shared.clock.now(), []);
    return null;
  }

  /** Runs one at a time: a sweep may be requested while another run is still active. */
  #keepUp(): Promise<void> {
    return this.#turns.take(() => this.#keepUpNow());
  }

  async #keepUpNow(): Promise<void> {
    if (this.#detector === null) await this.#completeWithoutFiles();
    const wasReady = this.isReady;
    await this.#ranks.count();
    if (this.isReady && wasReady) await this.#ranks.keep();
    await this.#parts.leftOut.keep();
    if (this.isReady && !wasReady) await this.#outlets?.write();
  }
}
