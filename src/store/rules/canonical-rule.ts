/**
 * Whether the canonical link of a page is believed (C7). In: the page, and the URLs that its link leads to, one after
 * the other, as the engine reads them. Out: a verdict, the page that it duplicates, and the URL where the way ended.
 *
 * What always holds: the result depends only on the stored URLs and pages, never on the order in which they were
 * fetched. A page in a loop of canonical links stands for itself, so judging one page never changes the judgement that
 * it was based on. The target is no duplicate by canonical link itself.
 */
import type { Reason } from '../../core/reasons.ts';
import type { CanonicalVerdict, PageRecord, UrlState } from '../contract.ts';
import {
  haveSameText,
  LEAST_PRINTS,
  printsOf,
  SAMPLE_NUMBERS,
  SKETCH_SIZE,
  sharedSample,
  similarity,
} from './near-duplicate-rule.ts';

/** Two pages that are so similar are versions of one page (docs/duplicates.md has the figures). */
const LEAST_SIMILARITY = 0.92;

/**
 * A page with this share of its fingerprints in the target adds nothing to it: a print version lacks the menus, a
 * filtered list lacks entries. The share of fewer fingerprints says too little.
 */
const LEAST_CONTAINED = 0.95;
const LEAST_COUNTED = 8;

/**
 * The same for pages with equal titles, in both directions. A page may add something to a target that it contains, but
 * not most of its text: this share of the samples must be equal.
 */
const LEAST_WITH_SAME_TITLE = 0.9;
const LEAST_COUNTED_WITH_SAME_TITLE = 4;
const LEAST_COMMON_SAMPLE = 0.3;

/** The longer of two versions of a short text has at most so many grams more: a date, or a greeting. */
const MOST_ADDED = 20;
/** An added gram can replace another one in the sample, so only this share of the shorter sample is required. */
const LEAST_KEPT_SAMPLE = 0.7;

/** Redirects, and canonical links, that are followed in a row. */
export const MOST_STEPS = 10;

/**
 * The largest number of pages that one commit judges again because the URL that they name has changed. The others are
 * noted in the table `canonical_tasks`.
 */
export const MOST_JUDGED = 500;

/** The facts of a page that are compared. */
export interface ComparedPage {
  readonly bytes: number;
  readonly digest: Uint8Array;
  readonly noindex: boolean;
  readonly title: string;
  readonly sketch: Uint32Array | null;
}

export function comparedPage({ bytes, digest, noindex, title, sketch }: PageRecord): ComparedPage {
  return { bytes, digest: Buffer.from(digest, 'hex'), noindex, title, sketch: sketch ?? null };
}

/** A URL on the way of a canonical link. */
export interface WayPoint {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly redirectTo: number | null;
  /** Null if the copy has no page for the URL. */
  readonly page: (ComparedPage & StoredCanonical) | null;
}

/** What the store has about the canonical link of a page. */
export interface StoredCanonical {
  /** Where its canonical link leads, after redirects; null if it names no other URL. */
  readonly canonicalEnd: number | null;
  /** The page that it duplicates by its canonical link. */
  readonly duplicateOf: number | null;
}

export interface CanonicalJudgement extends StoredCanonical {
  readonly verdict: CanonicalVerdict;
  /** Where the way ended. When this URL changes, the page is judged again. */
  readonly canonicalEnd: number;
}

/** Yields the id of each URL that it needs; the engine answers with the URL as it is stored. */
export type Judging = Generator<number, CanonicalJudgement, WayPoint | null>;

/** Reasons that make a URL no target, with or without a page. */
const BY_REASON: Partial<Record<Reason, CanonicalVerdict>> = {
  'not-found': 'target-missing',
  gone: 'target-missing',
  'gone-by-watcher': 'target-missing',
  'soft-404': 'target-missing',
  'out-of-scope': 'target-out-of-scope',
  excluded: 'target-out-of-scope',
  'too-many-redirects': 'target-failed',
};

/** For a URL without a page and without such a reason. */
const BY_STATE: Readonly<Record<UrlState, CanonicalVerdict>> = {
  waiting: 'waiting',
  fetched: 'waiting',
  duplicate: 'waiting',
  redirect: 'loop',
  failed: 'target-failed',
  skipped: 'target-refused',
  gone: 'target-missing',
};

/** `named` is the canonical URL of the page: another URL than its own. */
export function* judgeCanonical(id: number, page: ComparedPage, named: number): Judging {
  const stands = (verdict: CanonicalVerdict, canonicalEnd: number): CanonicalJudgement => ({
    verdict,
    canonicalEnd,
    duplicateOf: null,
  });
  let end = named;
  let at = yield end;
  for (let step = 0; at?.state === 'redirect' && at.redirectTo !== null && step < MOST_STEPS; step++) {
    end = at.redirectTo;
    if (end === id) return stands('target-redirects-back', id);
    at = yield end;
  }
  const flaw = flawOf(at);
  if (flaw !== null) return stands(flaw, end);
  const first = at!.page!;
  if (yield* isEndless(id, end, first)) return stands('loop', end);
  const last = first.duplicateOf ?? end;
  const target = last === end ? first : (yield last)?.page;
  // The page on the way is a duplicate of a page that has just left. Both will be judged again.
  if (!target) return stands('waiting', end);
  if (target.noindex && !page.noindex) return stands('target-noindex', end);
  const likeness = compare(page, target);
  return likeness === 'alike' ? { verdict: 'believed', canonicalEnd: end, duplicateOf: last } : stands(likeness, end);
}

/** Whether the canonical links go on for more than `MOST_STEPS` pages. The beliefs of these pages do not matter. */
function* isEndless(id: number, from: number, first: StoredCanonical): Generator<number, boolean, WayPoint | null> {
  let here = from;
  let next = first.canonicalEnd;
  for (let step = 1; next !== null && next !== here; step++) {
    if (next === id || step >= MOST_STEPS) return true;
    here = next;
    next = (yield here)?.page?.canonicalEnd ?? null;
  }
  return false;
}

/** Why this URL is no target; null if it is a page. */
function flawOf(at: WayPoint | null): CanonicalVerdict | null {
  if (at === null || at.state === 'waiting') return 'waiting';
  const byReason = (at.reason && BY_REASON[at.reason]) ?? null;
  return byReason ?? (at.page === null ? BY_STATE[at.state] : null);
}

/**
 * Pages with the same bytes are alike. Others are compared by their sketches. Equal titles alone show nothing, because
 * many sites have one title for all pages.
 */
export function compare(page: ComparedPage, target: ComparedPage): 'alike' | 'target-unlike' | 'too-little-text' {
  if (page.bytes > 0 && Buffer.compare(page.digest, target.digest) === 0) return 'alike';
  const [a, b] = [page.sketch, target.sketch];
  if (a === null || b === null) return 'too-little-text';
  const hasSameTitle = page.title !== '' && page.title === target.title;
  const [printsA, printsB] = [printsOf(a), printsOf(b)];
  if (Math.min(printsA.length, printsB.length) < LEAST_PRINTS) {
    const isVersion = hasSameTitle
      ? isLittleMore(a, b) || isLittleMore(b, a)
      : haveSameText(a, b) && isPartOfOther(page.title, target.title);
    return isVersion ? 'alike' : 'too-little-text';
  }
  const isVersion =
    similarity(a, b, LEAST_SIMILARITY) > 0 ||
    isContained(printsA, printsB, LEAST_CONTAINED, LEAST_COUNTED) ||
    (hasSameTitle && areVersions(a, b));
  return isVersion ? 'alike' : 'target-unlike';
}

/** "Tangent" and "Tangent (print version)". */
function isPartOfOther(title: string, other: string): boolean {
  return title !== '' && other !== '' && (title.startsWith(other) || other.startsWith(title));
}

/** Returns true if the target contains the page, or the page contains the target and most of its text is not new. */
function areVersions(page: Uint32Array, target: Uint32Array): boolean {
  const contains = (one: Uint32Array, other: Uint32Array) =>
    isContained(printsOf(other), printsOf(one), LEAST_WITH_SAME_TITLE, LEAST_COUNTED_WITH_SAME_TITLE);
  return contains(target, page) || (contains(page, target) && sharedSample(page, target) >= LEAST_COMMON_SAMPLE);
}

/** Returns true if the longer text is the shorter one with a few grams more. Both have the same title. */
function isLittleMore(longer: Uint32Array, shorter: Uint32Array): boolean {
  const [more, less] = [sampleOf(longer), sampleOf(shorter)];
  const size = less.filter((byte) => byte !== 0).length;
  const added = more.filter((byte) => byte !== 0).length - size;
  const kept = less.filter((byte, part) => byte !== 0 && byte === more[part]).length;
  return (
    added <= MOST_ADDED && kept >= LEAST_KEPT_SAMPLE * size && isContained(printsOf(shorter), printsOf(longer), 1, 1)
  );
}

/** A byte for each part of the grams, 0 if it is empty. A short text has hardly any part with more than one gram. */
function sampleOf(sketch: Uint32Array): Uint8Array {
  return new Uint8Array(sketch.buffer, sketch.byteOffset, SAMPLE_NUMBERS * Uint32Array.BYTES_PER_ELEMENT);
}

/** Counts the fingerprints of the part up to where both sketches are complete. */
function isContained(part: Uint32Array, whole: Uint32Array, leastShare: number, leastCounted: number): boolean {
  const end = whole.length < SKETCH_SIZE ? Number.POSITIVE_INFINITY : whole.at(-1)!;
  const counted = part.filter((print) => print <= end);
  const common = counted.filter((print) => whole.includes(print));
  return counted.length >= leastCounted && common.length >= leastShare * counted.length;
}
