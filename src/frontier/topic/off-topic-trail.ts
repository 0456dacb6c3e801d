/**
 * How far a branch of the web is followed off topic. Pages on topic are often reached through other pages
 * (tunnelling). A URL with little promise is therefore not cut at once: it is followed while the last
 * relevant page, or the seed, is near.
 *
 * The rule: a URL is cut if its relevance is below the threshold and the `maxStepsOff` pages before it were also below
 * the threshold. A page passes its trail on to its links. All functions here are pure.
 */
export interface FocusRules {
  /** A page or URL with a lower relevance is off topic. From 0 to 1. */
  readonly threshold: number;
  /** Number of consecutive off-topic pages after which URLs below the threshold are cut. */
  readonly maxStepsOff: number;
}

export interface Trail {
  /** The relevance that the links of this page inherit, from 0 to 1. */
  readonly inherited: number;
  /** Number of consecutive off-topic pages, including this one. It is below 0 near a seed. */
  readonly stepsOff: number;
}

/**
 * The share of its inherited relevance that an off-topic page passes on. It is enough to rank its links before
 * the links of unrelated pages.
 */
export const INHERITANCE = 0.1;

/**
 * The user chose the seed, but the seed may be a portal. This many extra steps are allowed to the first page on topic.
 */
const SEED_STEPS = 2;

/** The trail that a seed starts with. */
export const SEED_TRAIL: Trail = { inherited: 0, stepsOff: -SEED_STEPS };

/** The trail that a page passes on to its links, from the trail it received and its own relevance. */
export function trailAfter(before: Trail, pageRelevance: number, { threshold }: FocusRules): Trail {
  if (pageRelevance >= threshold) return { inherited: pageRelevance, stepsOff: 0 };
  return { inherited: Math.max(pageRelevance, before.inherited * INHERITANCE), stepsOff: before.stepsOff + 1 };
}

/** A URL that is cut may be found again on a nearer trail; then it is no longer cut. */
export function isCut(urlRelevance: number, trail: Trail, { threshold, maxStepsOff }: FocusRules): boolean {
  return urlRelevance < threshold && trail.stepsOff >= maxStepsOff;
}
