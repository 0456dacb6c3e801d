/**
 * What changed on a page: the body that came is compared with the one the archive has. In: the outcome and what was known. Out:
 * whether a reader would call it changed, and the description that the store keeps, as JSON.
 *
 * Always: other bytes are at least noise. Where the archive cannot be read, the page is changed and nothing more is said of it.
 */
import { dirname } from 'node:path';
import { codesOf } from '../change/codes/page-codes.ts';
import { compareVersions } from '../change/compare-versions.ts';
import { compareImages, type ImageChange } from '../change/image/compare-pictures.ts';
import { ignoreNoise, noiseIn } from '../change/noise/noise.ts';
import { NoiseBook, type NoiseRules } from '../change/noise/noise-rules.ts';
import { volatileRegions } from '../change/noise/volatile-regions.ts';
import type { PageChange, PageVersion } from '../change/page-change.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options.ts';
import type { PageOutline } from '../core/page-outline.ts';
import type { RefreshOptions } from '../core/refresh-options.ts';
import { type FetchOutcome, headerValue } from '../fetch/outcome.ts';
import { outlinePage } from '../page/outline.ts';
import type { CaptureRecord, EarlierVisit } from '../store/contract.ts';
import { hostnameOf, hostOf } from '../url/host.ts';
import { readRecord } from './read-copy.ts';

export interface JudgedChange {
  readonly verdict: 'noise' | 'changed';
  /** A `ToldChange`. */
  readonly change: string | null;
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
}

export interface ToldCodes {
  /** First and last letters of the tags, at most MAX_LETTERS. */
  readonly structure: readonly [first: string, last: string];
  readonly levels: readonly number[];
  readonly text: readonly [average: number, root: number];
}

const MAX_LETTERS = 2_000;

export class ChangeJudge {
  readonly #dir: string;
  readonly #maxBody: number;
  readonly #book: NoiseBook;
  readonly #countsNoise: boolean;

  constructor(archiveDir: string, { maxBody }: CrawlOptions, refresh: RefreshOptions) {
    this.#dir = dirname(archiveDir);
    this.#maxBody = maxBody;
    this.#book = noiseBookOf(refresh);
    this.#countsNoise = refresh.noise === 'change';
  }

  async judge(outcome: FetchOutcome, url: string, earlier: EarlierVisit): Promise<JudgedChange> {
    const before = await this.#versionIn(url, earlier.capture);
    if (before === null) return { verdict: 'changed', change: null };
    const bytes = outcome.decoded;
    if (isImage(outcome)) return imageChanged(before, bytes);
    const after: PageVersion = { bytes, outline: outlinePage(bytes, outcome.header('content-type')) };
    const rules = await this.#rulesFor(url, earlier.versions, before);
    const { verdict, ...change } = compareVersions(before, after, rules && ((outline) => ignoreNoise(outline, rules)));
    return {
      verdict: verdict === 'noise' ? 'noise' : 'changed',
      change: JSON.stringify({
        ...change,
        noise: rules ? noiseOf(before, after, rules) : [],
        codes: after.outline && toldCodes(after.outline),
        image: null,
      } satisfies ToldChange),
    };
  }

  /** The table, the site's own selectors, and what changed on this page every time. */
  async #rulesFor(
    url: string,
    versions: readonly CaptureRecord[],
    newest: PageVersion,
  ): Promise<NoiseRules | undefined> {
    if (this.#countsNoise) return undefined;
    const name = hostnameOf(hostOf(url));
    const rules = this.#book.rulesFor(name);
    if (versions.length === 0 || newest.outline === null) return rules;
    const older = await Promise.all(versions.slice(1).map((capture) => this.#versionIn(url, capture)));
    const outlines = [newest, ...older].flatMap((version) => version?.outline ?? []);
    return this.#book.rulesFor(name, volatileRegions(outlines.reverse(), rules));
  }

  async #versionIn(url: string, capture: CaptureRecord | null): Promise<PageVersion | null> {
    const archived = await this.archived(url, capture);
    if (archived === null) return null;
    const { body, rawHeaders } = archived;
    return { bytes: body, outline: outlinePage(body, headerValue(rawHeaders, 'content-type')) };
  }

  /** A content of the copy; null where the archive does not have it. */
  async archived(url: string, capture: CaptureRecord | null): Promise<ArchivedContent | null> {
    if (capture === null) return null;
    try {
      const { body, capture: archived } = await readRecord(this.#dir, url, capture, this.#maxBody);
      return { body, rawHeaders: archived.rawHeaders };
    } catch (error) {
      if (error instanceof OrbweaverError) return null;
      throw error;
    }
  }
}

/** Refuses a selector or the name of a rule that is none. */
export function noiseBookOf({ ignore, noiseOff }: RefreshOptions): NoiseBook {
  const byHost: Record<string, string[]> = {};
  for (const text of ignore) {
    const at = text.indexOf('|');
    if (at < 1) throw new OrbweaverError('ERR_BAD_OPTION', `--ignore needs "host|selector", not "${text}"`);
    const host = text.slice(0, at).trim();
    byHost[host] = [...(byHost[host] ?? []), text.slice(at + 1).trim()];
  }
  try {
    return new NoiseBook({ off: noiseOff, ignore: byHost });
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--ignore or --noise-off: ${(error as Error).message}`);
  }
}

function noiseOf(
  { outline: before }: PageVersion,
  { outline: after }: PageVersion,
  rules: NoiseRules,
): readonly string[] {
  return before === null || after === null ? [] : noiseIn(before, after, rules);
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
