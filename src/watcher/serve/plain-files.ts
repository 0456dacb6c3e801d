/**
 * Writes the report into the web root, for sites where a web server only serves files. In: the memory. Out:
 * files under /.well-known/, each replaced in one step and only if its content changes. What always holds:
 * the sitemap is never older than the report's `since`, so a reader of the sitemap and then of the whole
 * report knows the site as it is at `cursor`.
 */

import { systemClock } from '../../core/clock.ts';
import { indexXml, partNumber, partPath, partXml, planSitemap } from '../announce/sitemap.ts';
import { SerialQueue } from '../memory/serial-queue.ts';
import { repeat } from '../pace/repeat.ts';
import { draftLastChanges, MAX_ENTRIES } from '../report/draft-report.ts';
import type { LeaseKeeper, LeaseView } from '../report/lease-keeper.ts';
import { endLine, headLine } from '../report/report-lines.ts';
import type { ReportSource } from '../report/report-source.ts';
import { REPORT_PATH, SITEMAP_PATH } from './handler.ts';
import type { WebRoot } from './web-root.ts';

const DEFAULTS = {
  path: REPORT_PATH,
  /** Null for no sitemaps. */
  sitemapPath: SITEMAP_PATH as string | null,
  /** Number of last changes in the report. */
  maxChanges: MAX_ENTRIES,
  /** Largest age of the sitemap, as long as the report goes back far enough. */
  sitemapMs: 3_600_000,
  /** The lease that the access log gives; null if there is no lease to take. */
  lease: null as LeaseKeeper | null,
  /** Texts by path: the key file of IndexNow. */
  texts: {} as Readonly<Record<string, string>>,
  /** Interval of checks whether a file must be written. */
  everyMs: 5_000,
  clock: systemClock,
  pause: async (): Promise<void> => undefined,
  onFault: (_error: unknown): void => undefined,
};
export type PlainFilesOptions = Readonly<typeof DEFAULTS>;

export class PlainFiles {
  readonly #source: ReportSource;
  readonly #root: WebRoot;
  readonly #options: PlainFilesOptions;
  #written = '';
  #sitemapSeq = -1;
  #sitemapEpoch = '';
  #sitemapAtMs = 0;
  #hasTexts = false;
  readonly #turns = new SerialQueue();
  #cancel: (() => void) | null = null;

  constructor(source: ReportSource, root: WebRoot, options: Partial<PlainFilesOptions> = {}) {
    this.#source = source;
    this.#root = root;
    this.#options = { ...DEFAULTS, ...options };
  }

  start(): void {
    const { clock, everyMs, onFault } = this.#options;
    this.#cancel = repeat(clock, everyMs, () => this.write(), onFault);
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    await this.#turns.idle();
  }

  /** Resolves to whether anything was written. Only one write runs at a time. */
  write(): Promise<boolean> {
    return this.#turns.take(() => this.#write());
  }

  async #write(): Promise<boolean> {
    const { memory } = this.#source;
    if (!memory.isComplete) return false;
    await this.#writeTexts();
    const lease = this.#lease();
    const { epoch, lastSeq, pageCount } = memory;
    const holder = lease.held ? `${lease.holder} ${this.#options.lease?.given}` : '';
    const state = [epoch, lastSeq, pageCount, this.#source.rankKey?.() ?? '', holder].join('\n');
    if (state === this.#written) return false;
    const draft = await draftLastChanges(this.#source, this.#options.maxChanges);
    await this.#writeSitemap(Number(draft.since!.split('.').at(-1)));
    const head = headLine({ ...draft, site: this.#source.site, pages: pageCount, atMs: memory.sweptAtMs, lease });
    const lines = [head, ...draft.lines.map(({ line }) => line), endLine(draft.lines.length)];
    await this.#root.write(this.#options.path, lines);
    this.#written = state;
    return true;
  }

  #lease(): LeaseView {
    return this.#options.lease?.view('log') ?? { by: 'none', held: false };
  }

  async #writeSitemap(sinceSeq: number): Promise<void> {
    const { sitemapPath, sitemapMs, clock, pause } = this.#options;
    const { epoch, lastSeq } = this.#source.memory;
    if (sitemapPath === null || (epoch === this.#sitemapEpoch && lastSeq === this.#sitemapSeq)) return;
    const isGoodEnough =
      epoch === this.#sitemapEpoch &&
      this.#sitemapSeq >= sinceSeq &&
      Math.abs(clock.now() - this.#sitemapAtMs) < sitemapMs;
    if (isGoodEnough) return;
    const parts = await planSitemap(this.#source, pause);
    for (const [at, part] of parts.entries()) {
      await this.#root.write(partPath(sitemapPath, at + 1), partXml(this.#source, part));
    }
    await this.#root.write(sitemapPath, [indexXml(this.#source.site, sitemapPath, parts)]);
    const indexName = sitemapPath.slice(sitemapPath.lastIndexOf('/') + 1);
    await this.#root.remove(sitemapPath, (name) => (partNumber(name, indexName) ?? 0) > parts.length);
    this.#sitemapEpoch = epoch;
    // The number at the start of the write. Later changes may or may not be in the sitemap, but are in the report.
    this.#sitemapSeq = lastSeq;
    this.#sitemapAtMs = clock.now();
  }

  async #writeTexts(): Promise<void> {
    if (this.#hasTexts) return;
    for (const [path, text] of Object.entries(this.#options.texts)) await this.#root.write(path, [text]);
    this.#hasTexts = true;
  }
}
