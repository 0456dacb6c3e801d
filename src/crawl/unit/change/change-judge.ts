/**
 * Finds what changed on a page by comparing the received body with the archived body. In: the outcome and the earlier
 * visit. Out: the level of the change, whether this level counts, and the description for the store, as JSON.
 *
 * What always holds: other bytes always have a level. If the archive cannot be read,
 * the content counts as changed, without a description.
 */
import { hash32 } from '../../../change/evidence/evidence-form.ts';
import type { NoiseEvidence } from '../../../change/evidence/noise-evidence.ts';
import { volatileRegions } from '../../../change/noise/learned/volatile-regions.ts';
import type { NoiseBook, NoiseRules } from '../../../change/noise/noise-rules.ts';
import { ignoreNoise } from '../../../change/noise/remove-noise.ts';
import type { PageVersion } from '../../../change/page-change.ts';
import type { Template } from '../../../content/template/template.ts';
import { BudgetSpent, CpuBudget, PAGE_CPU_MS } from '../../../core/cpu-budget.ts';
import { OrbweaverError } from '../../../core/errors.ts';
import type { RefreshOptions } from '../../../core/options/refresh-options.ts';
import { type ChangeLevel, countsAs } from '../../../core/page/change-class.ts';
import { type FetchOutcome, headerValue } from '../../../fetch/outcome.ts';
import { readableVersion } from '../../../page/readable-version.ts';
import type { CaptureRecord, EarlierVisit } from '../../../store/contract.ts';
import { hostnameOf, hostOf } from '../../../url/host.ts';
import type { BodySizes } from '../../place/body-limits.ts';
import type { CrawlPlace } from '../../place/crawl-place.ts';
import { isContent, LATEST_MS, newestCaptures, type PlaceStore, readRecord } from '../../place/read-archived.ts';
import { type ClassifiedChange, describeChange, imageChanged, UNCLASSIFIED_CONTENT } from './classify-change.ts';
import { NoiseOfVisit } from './host-noise.ts';
import { noiseBookOf } from './noise-options.ts';
import { TELLING_STREAK } from './region-judge.ts';
import { versionOf } from './version-of.ts';

export interface JudgedChange extends ClassifiedChange {
  /** `changed` if the level of the change counts (`--level`). */
  readonly finding: 'noise' | 'changed';
}

/** What a crawl has learned about the host of a page. */
export interface LearnedHost {
  readonly template: Template;
  /** Null if nothing is learned about noise (`--no-learn-noise`). */
  readonly noise: NoiseEvidence | null;
}

export interface Judging {
  /** The regions of the page show that its content has changed, so it need not be described now. */
  readonly isDecided: boolean;
  /** Called each time before work on the page, because other pages are worked on while the archive is read. */
  readonly mark: () => void;
}

/** Where the earlier versions of pages are. */
export interface ArchivedCopy {
  readonly place: CrawlPlace;
  readonly places: PlaceStore;
}

export interface ArchivedContent {
  /** The decoded body. */
  readonly body: Buffer;
  readonly rawHeaders: readonly string[];
}

/**
 * The share of the budget that learning from earlier versions may use. Without learning, a page can still be compared.
 */
const LEARNING_SHARE = 0.5;
export class ChangeJudge {
  readonly #copy: ArchivedCopy;
  readonly #sizes: BodySizes;
  readonly #book: NoiseBook;
  readonly #lowest: ChangeLevel;
  readonly #cpuMs: number;

  /** `cpuMs` is the CPU time for one page. Tests use less. */
  constructor(copy: ArchivedCopy, sizes: BodySizes, refresh: RefreshOptions, cpuMs = PAGE_CPU_MS) {
    this.#cpuMs = cpuMs;
    this.#copy = copy;
    this.#sizes = sizes;
    this.#book = noiseBookOf(refresh);
    this.#lowest = refresh.level;
  }

  /**
   * `host` is what the crawl has learned about the host.
   */
  async judge(
    outcome: FetchOutcome,
    url: string,
    earlier: EarlierVisit,
    host: LearnedHost,
    { isDecided, mark }: Judging,
  ): Promise<JudgedChange> {
    const { template } = host;
    const captures = await this.#versionsOf(url, earlier.streak);
    const budget = new CpuBudget(this.#cpuMs);
    const before = captures[0] === undefined ? null : await this.#versionIn(url, captures[0], budget, template);
    if (before === null) return this.#found({ ...UNCLASSIFIED_CONTENT, change: null });
    mark();
    const bytes = outcome.decoded;
    if (isImage(outcome)) return this.#found(await imageChanged(before, bytes));
    const after = budget.run(() =>
      versionOf(bytes, outcome.header('content-type'), url, template, outcome.header('date')),
    );
    const rules = after.isPage ? await this.#rulesFor(url, captures, before, budget) : undefined;
    mark();
    const visit = after.isPage ? this.#noiseOf(outcome, earlier, host.noise, [before, after]) : null;
    return this.#found(describeChange(before, after, rules, budget, { visit, isDecided }));
  }

  #noiseOf(
    { url, startedAtMs }: FetchOutcome,
    { streak }: EarlierVisit,
    noise: NoiseEvidence | null,
    versions: readonly [PageVersion, PageVersion],
  ): NoiseOfVisit | null {
    if (noise === null) return null;
    const look = { kind: 'visits', page: hash32(url), atMs: startedAtMs, followsRest: streak === 0 } as const;
    return new NoiseOfVisit(noise, look, versions);
  }

  /** Adds what differs between two responses of the same moment to the evidence for noise of the host. */
  recordDoubleLook(first: FetchOutcome, second: FetchOutcome, template: Template, noise: NoiseEvidence): void {
    const { url } = first;
    const rules = this.#book.rulesFor(hostnameOf(hostOf(url)));
    const look = { kind: 'double-look', page: hash32(url), atMs: second.startedAtMs } as const;
    const budget = new CpuBudget(this.#cpuMs);
    try {
      budget.run(() => {
        const versionIn = (outcome: FetchOutcome): PageVersion =>
          versionOf(outcome.decoded, outcome.header('content-type'), url, template, outcome.header('date'));
        const [was, is] = [versionIn(first), versionIn(second)];
        if (was.outline === null || is.outline === null) return;
        const visit = new NoiseOfVisit(noise, look, [was, is]);
        for (const outline of [was.outline, is.outline]) {
          budget.check();
          visit.ignore(ignoreNoise(outline, rules));
        }
        visit.record();
      });
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
    }
  }

  #found(change: ClassifiedChange): JudgedChange {
    return { ...change, finding: countsAs(change.level, this.#lowest) ? 'changed' : 'noise' };
  }

  /**
   * The built-in rules, the selectors of the user for this site, and the regions that changed on this page every time.
   */
  async #rulesFor(
    url: string,
    versions: readonly CaptureRecord[],
    newest: PageVersion,
    budget: CpuBudget,
  ): Promise<NoiseRules> {
    const name = hostnameOf(hostOf(url));
    const rules = this.#book.rulesFor(name);
    if (versions.length === 1 || newest.outline === null) return rules;
    const outlines = [newest.outline];
    try {
      for (const capture of versions.slice(1)) {
        budget.check(LEARNING_SHARE);
        const older = await this.#versionIn(url, capture, budget, null);
        if (older !== null && older.outline !== null) outlines.unshift(older.outline);
      }
      const regions = budget.run(() => volatileRegions(outlines, rules, () => budget.check(LEARNING_SHARE)));
      return this.#book.rulesFor(name, regions);
    } catch (error) {
      if (error instanceof BudgetSpent) return rules;
      throw error;
    }
  }

  /**
   * The current content in the copy. If every recent visit found other content, earlier contents follow, newest first.
   */
  async #versionsOf(url: string, streak: number): Promise<readonly CaptureRecord[]> {
    const wanted = streak < TELLING_STREAK ? 1 : TELLING_STREAK + 1;
    return newestCaptures(this.#copy.places, url, LATEST_MS, wanted, isContent);
  }

  async #versionIn(
    url: string,
    capture: CaptureRecord,
    budget: CpuBudget,
    template: Template | null,
  ): Promise<PageVersion | null> {
    const archived = await this.#read(url, capture);
    if (archived === null) return null;
    const { body, rawHeaders } = archived;
    const [contentType, date] = [headerValue(rawHeaders, 'content-type'), headerValue(rawHeaders, 'date')];
    return budget.run(() => versionOf(body, contentType, url, template, date));
  }

  /**
   * Describes the change that a visit found at this time, from the archive: the content that it found is compared with
   * the one before. Null if the archive does not have both.
   */
  async describe(url: string, atMs: number): Promise<string | null> {
    const captures = await this.#capturesAt(url, atMs);
    const [found] = captures;
    if (found === undefined) return null;
    const earlier = await this.#versionsBefore(url, captures);
    const archived = await this.#read(url, found);
    const budget = new CpuBudget(this.#cpuMs);
    const before = earlier[0] === undefined ? null : await this.#versionIn(url, earlier[0], budget, null);
    if (archived === null || before === null) return null;
    const contentType = headerValue(archived.rawHeaders, 'content-type');
    if (isImageType(contentType)) return (await imageChanged(before, archived.body)).change;
    const date = headerValue(archived.rawHeaders, 'date');
    const after = budget.run(() => versionOf(archived.body, contentType, url, null, date));
    const rules = after.isPage ? await this.#rulesFor(url, earlier, before, budget) : undefined;
    return describeChange(before, after, rules, budget).change;
  }

  /**
   * What a reader sees in the version that a visit found at this time, and in the one before; null where the archive
   * has none, or the content is no text.
   */
  async texts(url: string, atMs: number): Promise<{ readonly before: string | null; readonly after: string | null }> {
    const captures = await this.#capturesAt(url, atMs);
    const [found] = captures;
    if (found === undefined) return { before: null, after: null };
    const [earlier] = await this.#versionsBefore(url, captures);
    const textOf = async (capture: CaptureRecord | undefined): Promise<string | null> => {
      const archived = capture && (await this.#read(url, capture));
      if (!archived) return null;
      const { title, text } = readableVersion(archived.body, headerValue(archived.rawHeaders, 'content-type'), url);
      return text === null ? null : `${title}\n${text}`;
    };
    return { before: await textOf(earlier), after: await textOf(found) };
  }

  /** The newest captures up to the one of this time, which is the first; none if it is not content. */
  async #capturesAt(url: string, atMs: number): Promise<readonly CaptureRecord[]> {
    const captures = await newestCaptures(this.#copy.places, url, atMs, TELLING_STREAK + 2, () => true);
    const [found] = captures;
    return found?.fetchedAtMs === atMs && isContent(found) ? captures : [];
  }

  /** The versions that `judge` read at the visit of the newest capture. */
  async #versionsBefore(url: string, [found, ...older]: readonly CaptureRecord[]): Promise<readonly CaptureRecord[]> {
    const isOther = (capture: CaptureRecord, i: number): boolean => {
      const next = older[i + 1];
      return isContent(capture) && next !== undefined && next.payloadDigest !== capture.payloadDigest;
    };
    const same = older.findIndex((capture, i) => !isOther(capture, i));
    if (same >= TELLING_STREAK) return older.slice(0, TELLING_STREAK + 1).filter(isContent);
    return newestCaptures(this.#copy.places, url, found!.fetchedAtMs - 1, 1, isContent);
  }

  /** The content in the copy; null if the archive does not have it. */
  async archived(url: string): Promise<ArchivedContent | null> {
    const [capture] = await this.#versionsOf(url, 0);
    return capture === undefined ? null : this.#read(url, capture);
  }

  async #read(url: string, capture: CaptureRecord): Promise<ArchivedContent | null> {
    try {
      const { place, places } = this.#copy;
      const { body, capture: archived } = await readRecord(place, url, capture, this.#sizes, places);
      return { body, rawHeaders: archived.rawHeaders };
    } catch (error) {
      if (error instanceof OrbweaverError) return null;
      throw error;
    }
  }
}

function isImage(outcome: FetchOutcome): boolean {
  return isImageType(outcome.header('content-type'));
}

function isImageType(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('image/');
}
