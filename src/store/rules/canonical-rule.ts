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
import { LEAST_PRINTS, printsOf, SKETCH_SIZE, similarity } from './near-duplicate-rule.ts';
import { type WordDifference, wordDifference } from './word-difference.ts';

/** Two pages whose own texts are so similar are versions of one page (docs/duplicates.md has the figures). */
const LEAST_SIMILARITY = 0.92;

/** A version has at most so many words more than the other page: a date, or a greeting. */
const MOST_ADDED = 20;

/**
 * A page without additions may lack so many words of its target: a print version lacks the template. Among more missing
 * words, an added one could hide. So this share of its own text must be in the own text of the target, too.
 */
const MOST_MISSING = 128;
const LEAST_COMMON = 0.5;

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
  /** The own text. */
  readonly sketch: Uint32Array | null;
  /** All words, with the template. */
  readonly wordCounts: Uint8Array | null;
}

export function comparedPage({ bytes, digest, noindex, title, sketch, wordCounts }: PageRecord): ComparedPage {
  return {
    bytes,
    digest: Buffer.from(digest, 'hex'),
    noindex,
    title,
    sketch: sketch ?? null,
    wordCounts: wordCounts ?? null,
  };
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
 * Pages with the same bytes are alike. Others are compared in two ways: by all their words, for which no template must
 * be known, and by their own texts, which may differ in more words. The titles must agree, or hardly a word may be new.
 * Equal titles alone show nothing, because many sites have one title for all pages.
 */
export function compare(page: ComparedPage, target: ComparedPage): 'alike' | 'target-unlike' | 'too-little-text' {
  if (page.bytes > 0 && Buffer.compare(page.digest, target.digest) === 0) return 'alike';
  const [a, b] = [page.sketch, target.sketch];
  const hasText = a !== null && b !== null && Math.min(printsOf(a).length, printsOf(b).length) >= LEAST_PRINTS;
  const hasSameTitle = haveSameTitle(page.title, target.title);
  // A page that an earlier version has written has no word counts.
  const words = page.wordCounts && target.wordCounts ? wordDifference(page.wordCounts, target.wordCounts) : null;
  const isNearlySame =
    hasText && (hasSameTitle || words === null || words.added <= MOST_ADDED) && similarity(a, b, LEAST_SIMILARITY) > 0;
  const isVersion = hasSameTitle && words !== null && isContained(words, a, b);
  if (isNearlySame || isVersion) return 'alike';
  return hasText ? 'target-unlike' : 'too-little-text';
}

/** Returns true if the page adds nothing to the target, or only a few words to all that the target has. */
function isContained(
  { added, missing }: WordDifference,
  page: Uint32Array | null,
  target: Uint32Array | null,
): boolean {
  if (missing === 0) return added <= MOST_ADDED;
  return added === 0 && (missing <= MOST_MISSING || shareText(page, target));
}

/** Also true for "Tangent" and "Tangent (print version)", but not for "Tangent" and "Tangent-space". */
function haveSameTitle(one: string, other: string): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return one === other || (shorter !== '' && longer.startsWith(`${shorter} `));
}

/** Returns true if much of the own text of the page is in the target, up to where both sketches are complete. */
function shareText(page: Uint32Array | null, target: Uint32Array | null): boolean {
  if (page === null || target === null) return false;
  const prints = printsOf(target);
  const end = prints.length < SKETCH_SIZE ? Number.POSITIVE_INFINITY : prints.at(-1)!;
  const counted = printsOf(page).filter((print) => print <= end);
  const common = counted.filter((print) => prints.includes(print));
  return counted.length >= LEAST_PRINTS && common.length >= LEAST_COMMON * counted.length;
}
