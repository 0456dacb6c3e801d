/**
 * What changed on a page: the body that came is compared with the one the archive has. In: the outcome and what was known. Out:
 * whether a reader would call it changed, and the description that the store keeps, as JSON.
 *
 * Always: other bytes are at least noise. Where the archive cannot be read, the page is changed and nothing more is said of it.
 */
import { codesOf } from '../change/codes/page-codes.ts';
import { compareVersions, replaced } from '../change/compare-versions.ts';
import { compareImages, type ImageChange } from '../change/image/compare-pictures.ts';
import { NoisePair } from '../change/noise/noise.ts';
import type { NoiseBook, NoiseRules } from '../change/noise/noise-rules.ts';
import { volatileRegions } from '../change/noise/volatile-regions.ts';
import type { PageChange, PageVersion } from '../change/page-change.ts';
import { BudgetSpent, CpuBudget, PAGE_CPU_MS } from '../core/cpu-budget.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { PageOutline } from '../core/page-outline.ts';
import type { RefreshOptions } from '../core/refresh-options.ts';
import { type FetchOutcome, headerValue } from '../fetch/outcome.ts';
import { outlinePage } from '../page/outline.ts';
import { isText } from '../page/text-type.ts';
import type { CaptureRecord, EarlierVisit, Store } from '../store/contract.ts';
import { hostnameOf, hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import type { CrawlPlace } from './crawl-place.ts';
import { noiseBookOf } from './noise-book.ts';
import { readStoreAt } from './open-store.ts';
import { LATEST_MS, readRecord } from './read-copy.ts';

export interface JudgedChange {
  readonly verdict: 'noise' | 'changed';
  /** A `ToldChange`. */
  readonly change: string | null;
  /** The CPU budget of the page was spent before the change was described. */
  readonly isCut?: boolean;
}

export interface ArchivedContent {
  /** Decoded. */
  readonly body: Buffer;
  readonly rawHeaders: readonly string[];
}

/** What is told of a change: the contract of `history --json`, of webhooks and of commands. */
export interface ToldChange extends Omit<PageChange, 'verdict'> {
  /** The rules of noise that left something out. */
  readonly noise: readonly string[];
  /** The codes of the new version (P8 to P11); null of what is no HTML. */
  readonly codes: ToldCodes | null;
  /** Of an image whose format is known: how both versions look (P12); null of everything else. */
  readonly image: ImageChange | null;
  /** No more is said than that it changed: the CPU budget of the page was spent. */
  readonly isCut?: boolean;
}

export interface ToldCodes {
  /** First and last letters of the tags, at most MAX_LETTERS. */
  readonly structure: readonly [first: string, last: string];
  readonly levels: readonly number[];
  readonly text: readonly [average: number, root: number];
}

const MAX_LETTERS = 2_000;
/** What learning from earlier versions may take of the budget: without it a page is still compared. */
const LEARNING_SHARE = 0.5;
/** Looks in a row that found another content each, from which on what always changes is learned from them. */
const TELLING_STREAK = 4;

export class ChangeJudge {
  readonly #place: CrawlPlace;
  readonly #maxBody: number;
  readonly #book: NoiseBook;
  readonly #countsNoise: boolean;
  readonly #cpuMs: number;
  /** Opened when the first page has changed. */
  #store: Promise<Store> | null = null;

  /** `cpuMs` is the CPU time for one page; tests give less. */
  constructor(place: CrawlPlace, { maxBody }: CrawlOptions, refresh: RefreshOptions, cpuMs = PAGE_CPU_MS) {
    this.#cpuMs = cpuMs;
    this.#place = place;
    this.#maxBody = maxBody;
    this.#book = noiseBookOf(refresh);
    this.#countsNoise = refresh.noise === 'change';
  }

  /** `mark` is called before the page is worked on: other pages are, while the archive is read. */
  async judge(outcome: FetchOutcome, url: string, earlier: EarlierVisit, mark: () => void): Promise<JudgedChange> {
    const captures = await this.#versionsOf(url, earlier.streak);
    const budget = new CpuBudget(this.#cpuMs);
    const before = captures[0] === undefined ? null : await this.#versionIn(url, captures[0], budget);
    if (before === null) return { verdict: 'changed', change: null };
    mark();
    const bytes = outcome.decoded;
    if (isImage(outcome)) return imageChanged(before, bytes);
    const after = budget.run(() => versionOf(bytes, outcome.header('content-type')));
    const rules = after.isPage ? await this.#rulesFor(url, captures, before, budget) : undefined;
    mark();
    return describeChange(before, after, rules, budget);
  }

  /** The table, the site's own selectors, and what changed on this page every time. */
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

  /** The content the copy has now; and where it was another at every look of late, those before it as well, newest first. */
  async #versionsOf(url: string, streak: number): Promise<readonly CaptureRecord[]> {
    this.#store ??= readStoreAt(this.#place);
    const store = await this.#store;
    const [host, key] = [hostOf(url), urlKeyHex(url)];
    const wanted = streak < TELLING_STREAK ? 1 : TELLING_STREAK + 1;
    for (let limit = wanted; ; limit *= 10) {
      const captures = await store.capturesOf(host, key, LATEST_MS, limit);
      const contents = captures.filter(({ status }) => status >= 200 && status < 300);
      // Errors and redirects may be among them, and any number of those.
      if (contents.length >= wanted || captures.length < limit) return contents.slice(0, wanted);
    }
  }

  async #versionIn(url: string, capture: CaptureRecord, budget: CpuBudget): Promise<PageVersion | null> {
    const archived = await this.#read(url, capture);
    if (archived === null) return null;
    const { body, rawHeaders } = archived;
    return budget.run(() => versionOf(body, headerValue(rawHeaders, 'content-type')));
  }

  /** The content the copy has; null where the archive does not have it. */
  async archived(url: string): Promise<ArchivedContent | null> {
    const [capture] = await this.#versionsOf(url, 0);
    return capture === undefined ? null : this.#read(url, capture);
  }

  async #read(url: string, capture: CaptureRecord): Promise<ArchivedContent | null> {
    try {
      const { body, capture: archived } = await readRecord(this.#place, url, capture, this.#maxBody, await this.#store);
      return { body, rawHeaders: archived.rawHeaders };
    } catch (error) {
      if (error instanceof OrbweaverError) return null;
      throw error;
    }
  }
}

/** Whether a reader would call it changed, and what changed; no more than that it changed when the budget is spent. */
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
  // It was gone, and is back as it was.
  if (verdict === 'identical') return { verdict: 'changed', change: null };
  return {
    verdict: verdict === 'noise' ? 'noise' : 'changed',
    change: JSON.stringify({
      ...change,
      noise: noise?.differences ?? [],
      codes: after.outline && toldCodes(after.outline),
      image: null,
    } satisfies ToldChange),
  };
}

/** Other bytes are a change, whatever they cost to compare. */
const NOT_DESCRIBED: JudgedChange = Object.freeze({
  verdict: 'changed',
  change: undescribed(),
  isCut: true,
});

function undescribed(): string {
  const { verdict: _verdict, ...change } = replaced();
  return JSON.stringify({ ...change, noise: [], codes: null, image: null, isCut: true } satisfies ToldChange);
}

/** `isPage`: it is HTML, in which there may be noise. */
export function versionOf(bytes: Buffer, contentType: string): PageVersion & { readonly isPage: boolean } {
  const outline = outlinePage(bytes, contentType);
  return { bytes, outline: outline ?? outlineOfText(bytes, contentType), isPage: outline !== null };
}

/** What is text and no page is one text, in which there is no noise. */
function outlineOfText(body: Buffer, contentType: string): PageOutline | null {
  const [mediaType = ''] = contentType.split(';', 1);
  if (!isText(mediaType.trim().toLowerCase(), body)) return null;
  const text = body.toString('utf8');
  return { nodes: [{ kind: 'text', level: 1, parent: -1, name: '', attributes: [], text }], isCut: false };
}

/** Other bytes are a change of an image, however it looks (P14). */
async function imageChanged({ bytes: before }: PageVersion, after: Buffer): Promise<JudgedChange> {
  const { verdict: _verdict, ...change } = compareVersions(
    { bytes: before, outline: null },
    { bytes: after, outline: null },
  );
  const image = await compareImages(before, after);
  const told: ToldChange = { ...change, kinds: ['images'], noise: [], codes: null, image };
  return { verdict: 'changed', change: JSON.stringify(told) };
}

function toldCodes(outline: PageOutline): ToldCodes {
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
