/**
 * How far a branch of the web is followed off topic. Pages on topic are often reached through others (tunnelling), so a URL that
 * promises little is not left out at once: it is followed while the last relevant page, or the seed, is near.
 *
 * The rule: a URL is cut when its relevance is below the threshold and `maxStepsOff` pages in a row before it were below it too.
 * What a page passes on to its links is its trail; all here is pure.
 */
export interface FocusRules {
  /** Below this a page or URL is off topic, 0 to 1. */
  readonly threshold: number;
  /** Pages in a row that may be off topic before URLs that promise nothing are cut. */
  readonly maxStepsOff: number;
}

export interface Trail {
  /** The relevance that links of this page inherit, 0 to 1. */
  readonly inherited: number;
  /** Pages off topic in a row up to and with this one; below 0 near a seed. */
  readonly stepsOff: number;
}

/** How much of what a page inherited its links inherit, where it is off topic itself: enough to put them before those of strangers. */
export const INHERITANCE = 0.1;

/** A person chose the seed, though it may be a portal: from there it may be so many steps more to the first page on topic. */
const SEED_STEPS = 2;

/** What is handed to a seed. */
export const SEED_TRAIL: Trail = { inherited: 0, stepsOff: -SEED_STEPS };

/** What a page hands to its links, from what was handed to it and what it turned out to be. */
export function trailAfter(before: Trail, pageRelevance: number, { threshold }: FocusRules): Trail {
  if (pageRelevance >= threshold) return { inherited: pageRelevance, stepsOff: 0 };
  return { inherited: Math.max(pageRelevance, before.inherited * INHERITANCE), stepsOff: before.stepsOff + 1 };
}

/** A URL that is cut may be found again on a nearer trail, and then it is not. */
export function isCut(urlRelevance: number, trail: Trail, { threshold, maxStepsOff }: FocusRules): boolean {
  return urlRelevance < threshold && trail.stepsOff >= maxStepsOff;
}
