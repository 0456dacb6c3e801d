/**
 * The rank of a page (W3): how often it changes and how close it is to the main page, each worth up to 0.5.
 *
 * In: a page, and the counts over all pages (from tally.ts). Out: both parts and their sum. What always
 * holds: the rank is from 0 to 1, and it is the same for the same numbers on every machine.
 * docs/watcher-rank.md has the rule with a worked example.
 */

export interface RankBasis {
  /** fmin and fmax of W3. */
  readonly fewestUpdates: number;
  readonly mostUpdates: number;
  /** Number of folder levels of the site; 1 if all pages are in the root. */
  readonly length: number;
  /** Whether the URL is the main page or a page that the main page links to. */
  isNearMain(url: string): boolean;
}

export interface Rank {
  readonly frequency: number;
  readonly level: number;
  readonly rank: number;
}

const NEAR_MAIN_LEVEL = 0.5;
const MAX_CATEGORIES = 4;
const SLASH = 0x2f;

export function rankOf(page: { readonly url: string; readonly updates: number }, basis: RankBasis): Rank {
  const frequency = frequencyOf(page.updates, basis);
  const level = basis.isNearMain(page.url) ? NEAR_MAIN_LEVEL : levelOf(depthOf(page.url), basis.length);
  return { frequency, level, rank: frequency + level };
}

/**
 * Number of categories that the levels are divided into. It is rounded to the nearest integer;
 * the rule of thumb needs no more precision.
 */
export function categoriesOf(length: number): number {
  const wanted = Math.round(Math.sqrt(Math.max(0, length - 1) / 2));
  return Math.min(MAX_CATEGORIES, Math.max(1, wanted));
}

/** Number of folders around a page: 0 for `/` and `/a.html`, 1 for `/docs/` and `/docs/a.html`. */
export function depthOf(url: string): number {
  let slashes = 0;
  for (let at = 0; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === SLASH) slashes++;
    // Slashes in a query or fragment are not folders.
    else if (code === 0x3f || code === 0x23) break;
  }
  return Math.max(0, slashes - 1);
}

function frequencyOf(updates: number, { fewestUpdates, mostUpdates }: RankBasis): number {
  if (mostUpdates <= fewestUpdates) return 0;
  // The basis may be slightly older than the page.
  const within = Math.min(mostUpdates, Math.max(fewestUpdates, updates));
  return (0.5 * (within - fewestUpdates)) / (mostUpdates - fewestUpdates);
}

function levelOf(depth: number, length: number): number {
  const levels = Math.max(1, length);
  const category = Math.floor((Math.min(depth, levels - 1) * categoriesOf(levels)) / levels);
  // The division of integers gives 0.3 and not 0.30000000000000004.
  return (MAX_CATEGORIES - category) / 10;
}
