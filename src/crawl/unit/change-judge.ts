/**
 * Finds what changed on a page by comparing the received body with the archived body. In: the outcome and the earlier
 * visit. Out: whether a reader would call the page changed, and the description for the store, as JSON.
 *
 * What always holds: other bytes are at least noise. If the archive cannot be read,
 * the page counts as changed, without a description.
 */
import { codesOf } from '../../change/codes/page-codes.ts';
import { compareVersions, replaced } from '../../change/compare-versions.ts';
import { compareImages, type ImageChange } from '../../change/image/compare-pictures.ts';
import { volatileRegions } from '../../change/noise/learned/volatile-regions.ts';
import type { NoiseBook, NoiseRules } from '../../change/noise/noise-rules.ts';
import { NoisePair } from '../../change/noise/remove-noise.ts';
import type { PageChange, PageVersion } from '../../change/page-change.ts';
import { BudgetSpent, CpuBudget, PAGE_CPU_MS } from '../../core/cpu-budget.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { RefreshOptions } from '../../core/options/refresh-options.ts';
import type { PageOutline } from '../../core/page/page-outline.ts';
import { type FetchOutcome, headerValue } from '../../fetch/outcome.ts';
import { isText } from '../../page/content-kind.ts';
import { outlinePage } from '../../page/outline/outline.ts';
import { readableVersion } from '../../page/readable-version.ts';
import type { CaptureRecord, EarlierVisit } from '../../store/contract.ts';
import { hostnameOf, hostOf } from '../../url/host.ts';
import type { BodySizes } from '../place/body-limits.ts';
import type { CrawlPlace } from '../place/crawl-place.ts';
import { isContent, LATEST_MS, newestCaptures, type PlaceStore, readRecord } from '../place/read-archived.ts';
import { noiseBookOf } from './noise-options.ts';

export interface JudgedChange {
  readonly verdict: 'noise' | 'changed';
  /** A `DescribedChange` as JSON. */
  readonly change: string | null;
  /** The CPU budget of the page ran out before the change was described. */
  readonly isCut?: boolean;
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

/** The description of a change: the contract of `history --json`, of webhooks and of commands. */
export interface DescribedChange extends Omit<PageChange, 'verdict'> {
  /** The noise rules that removed something from the comparison. */
  readonly noise: readonly string[];
  /** The codes of the new version (P8 to P11); null if it is not HTML. */
  readonly codes: PageCodes | null;
  /** The visual comparison of both versions of an image (P12); null for other content and unknown formats. */
  readonly image: ImageChange | null;
  /** The description says only that the page changed, because the CPU budget of the page ran out. */
  readonly isCut?: boolean;
}

export interface PageCodes {
  /** First and last letters of the tags, at most `MAX_LETTERS`. */
  readonly structure: readonly [first: string, last: string];
  readonly levels: readonly number[];
  readonly text: readonly [average: number, root: number];
}

const MAX_LETTERS = 2_000;
/**
 * The share of the budget that learning from earlier versions may use. Without learning, a page can still be compared.
 */
const LEARNING_SHARE = 0.5;
/**
 * After this many visits in a row that each found other content, the regions that always change are learned from them.
 */
const TELLING_STREAK = 4;

export class ChangeJudge {
  readonly #copy: ArchivedCopy;
  readonly #sizes: BodySizes;
  readonly #book: NoiseBook;
  readonly #countsNoise: boolean;
  readonly #cpuMs: number;

  /** `cpuMs` is the CPU time for one page. Tests use less. */
  constructor(copy: ArchivedCopy, sizes: BodySizes, refresh: RefreshOptions, cpuMs = PAGE_CPU_MS) {
    this.#cpuMs = cpuMs;
    this.#copy = copy;
    this.#sizes = sizes;
    this.#book = noiseBookOf(refresh);
    this.#countsNoise = refresh.noise === 'change';
  }

  /**
   * `mark` is called each time before work on the page, because other pages are worked on while the archive is read.
   */
  async judge(outcome: FetchOutcome, url: string, earlier: EarlierVisit, mark: () => void): Promise<JudgedChange> {
    const captures = await this.#versionsOf(url, earlier.streak);
    const budget = new CpuBudget(this.#cpuMs);
    const before = captures[0] === undefined ? null : await this.#versionIn(url, captures[0], budget);
    if (before === null) return { verdict: 'changed', change: null };
    mark();
    const bytes = outcome.decoded;
    if (isImage(outcome)) return imageChanged(before, bytes);
    const after = budget.run(() => versionOf(bytes, outcome.header('content-type'), url));
    const rules = after.isPage ? await this.#rulesFor(url, captures, before, budget) : undefined;
    mark();
    return describeChange(before, after, rules, budget);
  }

  /**
   * The built-in rules, the selectors of the user for this site, and the regions that changed on this page every time.
   */
  async #rulesFor(
    url: string,
    versions: readonly CaptureRecord[],
    newest: PageVersion,
    budget: CpuBudget,
  ): Promise<NoiseRules | undefined> {
    if (this.#countsNoise) return undefined;
    const name = hostnameOf(hostOf(url));
    const rules = this.#book.rulesFor(name);
    if (versions.length === 1 || newest.outline === null) return rules;
    const outlines = [newest.outline];
    try {
      for (const capture of versions.slice(1)) {
        budget.check(LEARNING_SHARE);
        const older = await this.#versionIn(url, capture, budget);
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

  async #versionIn(url: string, capture: CaptureRecord, budget: CpuBudget): Promise<PageVersion | null> {
    const archived = await this.#read(url, capture);
    if (archived === null) return null;
    const { body, rawHeaders } = archived;
    return budget.run(() => versionOf(body, headerValue(rawHeaders, 'content-type'), url));
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

/**
 * Decides whether a reader would call the page changed, and describes the change. If the
 * budget runs out, the result says only that the page changed.
 */
export function describeChange(
  before: PageVersion,
  after: PageVersion,
  rules: NoiseRules | undefined,
  budget: CpuBudget,
): JudgedChange {
  try {
    return budget.run(() => describeWithin(before, after, rules, () => budget.check()));
  } catch (error) {
    if (error instanceof BudgetSpent) return NOT_DESCRIBED;
    throw error;
  }
}

function describeWithin(
  before: PageVersion,
  after: PageVersion,
  rules: NoiseRules | undefined,
  checkBudget: () => void,
): JudgedChange {
  const noise = rules && new NoisePair(rules, checkBudget);
  const ignoring = noise && ((outline: PageOutline) => noise.ignore(outline));
  const { verdict, ...change } = compareVersions(before, after, ignoring, checkBudget);
  // The page was gone and is back with the same content.
  if (verdict === 'identical') return { verdict: 'changed', change: null };
  return {
    verdict: verdict === 'noise' ? 'noise' : 'changed',
    change: JSON.stringify({
      ...change,
      noise: noise?.differences ?? [],
      codes: after.outline && pageCodes(after.outline),
      image: null,
    } satisfies DescribedChange),
  };
}

/** Other bytes count as a change, even if the comparison is too expensive. */
const NOT_DESCRIBED: JudgedChange = Object.freeze({
  verdict: 'changed',
  change: undescribed(),
  isCut: true,
});

function undescribed(): string {
  const { verdict: _verdict, ...change } = replaced();
  return JSON.stringify({ ...change, noise: [], codes: null, image: null, isCut: true } satisfies DescribedChange);
}

/** `isPage`: the content is HTML, which may contain noise. */
export function versionOf(bytes: Buffer, contentType: string, url: string): PageVersion & { readonly isPage: boolean } {
  const outline = outlinePage(bytes, contentType);
  const readable = () => readableVersion(bytes, contentType, url);
  return { bytes, outline: outline ?? outlineOfText(bytes, contentType), readable, isPage: outline !== null };
}

/** A text that is not HTML becomes one text node, in which there is no noise. */
function outlineOfText(body: Buffer, contentType: string): PageOutline | null {
  const [mediaType = ''] = contentType.split(';', 1);
  if (!isText(mediaType.trim().toLowerCase(), body)) return null;
  const text = body.toString('utf8');
  return { nodes: [{ kind: 'text', level: 1, parent: -1, name: '', attributes: [], text }], isCut: false };
}

/** Other bytes of an image are a change, even if the image looks the same (P14). */
async function imageChanged({ bytes: before }: PageVersion, after: Buffer): Promise<JudgedChange> {
  const { verdict: _verdict, ...change } = compareVersions(
    { bytes: before, outline: null },
    { bytes: after, outline: null },
  );
  const image = await compareImages(before, after);
  const described: DescribedChange = { ...change, kinds: ['images'], noise: [], codes: null, image };
  return { verdict: 'changed', change: JSON.stringify(described) };
}

function pageCodes(outline: PageOutline): PageCodes {
  const { letters, levels, average, root } = codesOf(outline);
  return {
    structure: [letters.first.slice(0, MAX_LETTERS), letters.last.slice(0, MAX_LETTERS)],
    levels,
    text: [average.code, root.code],
  };
}

function isImage(outcome: FetchOutcome): boolean {
  return outcome.header('content-type').toLowerCase().startsWith('image/');
}
