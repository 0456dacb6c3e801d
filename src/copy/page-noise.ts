/**
 * Says which regions of the pages of a host are ignored as noise, why, since when, and what they show on one page. In:
 * a URL of the copy. Out: the regions; null if nothing was learned about the host.
 */
import { leaveOutRegions } from '../change/evidence/leave-out-regions.ts';
import { type IgnoredRegion, NoiseEvidence, type NoiseProof } from '../change/evidence/noise-evidence.ts';
import { DEFAULT_NOISE_RULES } from '../change/noise/noise-rules.ts';
import { ignoreNoise } from '../change/noise/remove-noise.ts';
import { OrbweaverError } from '../core/errors.ts';
import { cut } from '../core/text/truncate-text.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { isContent, LATEST_MS, readCopy } from '../crawl/place/read-archived.ts';
import { headerValue } from '../fetch/outcome.ts';
import { outlinePage } from '../page/outline/outline.ts';
import type { Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import type { UrlFacts } from './url-facts.ts';

const MAX_SHOWN_CHARS = 120;

export interface PageNoise {
  /** How many pages of the host were fetched twice to find out what differs without meaning. */
  readonly secondLooks: number;
  readonly regions: readonly NoiseRegion[];
}

export interface NoiseRegion {
  readonly path: string;
  /** It differed between two looks of the same moment, or at nearly every visit. */
  readonly proof: NoiseProof;
  /** On how many pages and in how many looks it differed. Old looks count less. */
  readonly pages: number;
  readonly looks: number;
  readonly since: Date;
  /** What it shows in the archived version of this page; null if it does not occur there, or counts as content. */
  readonly ignoredHere: string | null;
}

export async function noiseOf(store: Store, where: Where, { url, record }: UrlFacts): Promise<PageNoise | null> {
  const stored = await store.noiseEvidence(hostOf(url));
  if (stored === null) return null;
  const evidence = new NoiseEvidence(stored);
  const ignored = evidence.ignored(Date.now());
  const shown = record === null || record.digest === '' ? NOTHING : await shownOn(store, where, url, ignored);
  return { secondLooks: evidence.doubleLooks, regions: ignored.map((region) => toRegion(region, shown)) };
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function toRegion({ path, proof, pages, looks, sinceMs }: IgnoredRegion, shown: typeof NOTHING): NoiseRegion {
  const here = shown.get(path);
  return { path, proof, pages, looks, since: new Date(sinceMs), ignoredHere: here === undefined ? null : textOf(here) };
}

/** The content of the ignored regions. Nothing if the archive cannot be read here. */
async function shownOn(
  store: Store,
  where: Where,
  url: string,
  ignored: readonly IgnoredRegion[],
): Promise<typeof NOTHING> {
  try {
    const copy = await readCopy(store, where, url, LATEST_MS);
    if (copy === null || !isContent(copy.record)) return NOTHING;
    const outline = outlinePage(copy.body, headerValue(copy.capture.rawHeaders, 'content-type'));
    return outline === null ? NOTHING : leaveOutRegions(ignoreNoise(outline, DEFAULT_NOISE_RULES), ignored).removed;
  } catch (error) {
    if (error instanceof OrbweaverError) return NOTHING;
    throw error;
  }
}

/** The texts, without the targets of links and images. */
function textOf(items: string): string {
  const texts = items
    .split('\n')
    .filter((item) => item !== '' && !/^(?:href|src|srcset|data-[\w-]+|heading)=/.test(item));
  return cut(texts.join(' '), MAX_SHOWN_CHARS);
}
