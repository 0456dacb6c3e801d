/**
 * The rank of a page (W3): how often it changes, and how close it is to the main page, each up to 0.5.
 *
 * In: a page, and what is known of all of them (tally.ts counts that). Out: both parts and their sum. Always: from 0 to 1, and the
 * same for the same numbers on every machine. docs/watcher-rank.md has the rule with a worked example.
 */

export interface RankBasis {
  /** fmin and fmax of W3. */
  readonly fewestUpdates: number;
  readonly mostUpdates: number;
  /** How many levels of folders the site has; 1 where all pages are in the root. */
  readonly length: number;
  /** Whether it is the main page or one that it links to. */
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

/** How many categories the levels are divided into. To the nearest: the rule of thumb asks for no more. */
export function categoriesOf(length: number): number {
  const wanted = Math.round(Math.sqrt(Math.max(0, length - 1) / 2));
  return Math.min(MAX_CATEGORIES, Math.max(1, wanted));
}

/** How many folders are around a page: 0 for `/` and `/a.html`, 1 for `/docs/` and `/docs/a.html`. */
export function depthOf(url: string): number {
  let slashes = 0;
  for (let at = 0; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === SLASH) slashes++;
    // A query or a fragment: its slashes are no folders.
    else if (code === 0x3f || code === 0x23) break;
  }
  return Math.max(0, slashes - 1);
}

function frequencyOf(updates: number, { fewestUpdates, mostUpdates }: RankBasis): number {
  if (mostUpdates <= fewestUpdates) return 0;
  // A page may be ranked by a basis that is a moment older than itself.
  const within = Math.min(mostUpdates, Math.max(fewestUpdates, updates));
  return (0.5 * (within - fewestUpdates)) / (mostUpdates - fewestUpdates);
}

function levelOf(depth: number, length: number): number {
  const levels = Math.max(1, length);
  const category = Math.floor((Math.min(depth, levels - 1) * categoriesOf(levels)) / levels);
  // Of whole numbers, so that it is 0.3 and not 0.30000000000000004.
  return (MAX_CATEGORIES - category) / 10;
}
