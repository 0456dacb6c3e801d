/** Whether the canonical link of a page is believed, or why not (rules/canonical-rule.ts): the closed list. */

/** Every verdict, with its reason as a sentence. A page stands for itself unless its link is believed. */
export const CANONICAL_VERDICTS = {
  believed: 'the page resembles the canonical URL, and is its duplicate',
  waiting: 'the canonical URL has not been fetched yet',
  'target-missing': 'the canonical URL has no page (404 or 410)',
  'target-failed': 'the canonical URL could not be fetched',
  'target-refused': 'a rule of the crawl or of the site keeps the canonical URL from being fetched',
  'target-out-of-scope': 'the canonical URL is outside the scope of this crawl, so it is not fetched',
  'target-noindex': 'the canonical URL asks not to be indexed, and this page does not',
  'target-redirects-back': 'the canonical URL redirects back to this page',
  'target-unlike': 'the text of the canonical URL is another one',
  'too-little-text': 'one of the two pages has too little text to be compared',
  loop: 'the canonical links lead in a circle, or on and on',
} as const;

export type CanonicalVerdict = keyof typeof CANONICAL_VERDICTS;

/** The engines store the position in this list, so new verdicts are added at the end. */
export const VERDICT_NAMES = Object.keys(CANONICAL_VERDICTS) as readonly CanonicalVerdict[];
