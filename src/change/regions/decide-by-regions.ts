/**
 * Decides the level of a change by the regions of both versions (core/page/page-regions.ts), without the earlier
 * version itself. In: the regions. Out: the class of the change, or null if both versions must be compared.
 *
 * What always holds: a decision equals the one of decide.ts, with the built-in rules of noise or with a part of them. A
 * test checks it with generated changes. The part of a change is null if the regions do not tell it.
 */
import type { ChangeClass, ChangePart } from '../../core/page/change-class.ts';
import { editOf, type PageRegions } from '../../core/page/page-regions.ts';

/** `mayHoldAds` says whether the page may contain an element that is an advertisement by its name. */
export function decideByRegions(was: PageRegions, is: PageRegions, mayHoldAds: () => boolean): ChangeClass | null {
  if (was.exact === is.exact) {
    // Only scripts and comments differ. In an advertisement, a script decides whether the rest of it is noise.
    const isHidden = !was.isConverted && !is.isConverted && !mayHoldAds();
    return isHidden ? { level: 'hidden', part: null, edit: null } : null;
  }
  if (was.unsure !== is.unsure) return null;
  const edit = editOf(was, is);
  const isSame = sumOfWords(was) === sumOfWords(is) && was.targets === is.targets;
  return isSame ? null : { level: 'content', part: partBetween(was, is), edit };
}

/** Words may only have moved from the content to a place beside it. */
function sumOfWords({ content, beside }: PageRegions): bigint {
  return BigInt.asUintN(64, content + beside);
}

/**
 * Lines beside the content and targets of links belong to no block, so the regions tell nothing about their part. The
 * template of both versions must be the same for a change of own content: it may have been learned in between.
 */
function partBetween(was: PageRegions, is: PageRegions): ChangePart | null {
  const hasSameTemplate = was.template === is.template;
  const hasSameOwn = BigInt.asUintN(64, was.content - was.template - is.content + is.template) === 0n;
  if (hasSameTemplate) return hasSameOwn ? null : 'own';
  return hasSameOwn && was.beside === is.beside && was.targets === is.targets ? 'template' : null;
}

/**
 * What the names of all advertisements contain (change/noise/advertising/ad-words.ts), and what many others do.
 * Besides, the scan of a page and its outline read CDATA and framesets in different ways.
 */
const AD_NAMES =
  /<!\[CDATA\[|<frameset|(?<![A-Za-z])[Aa][Dd](?![dhjmoeDHJMOE])|[a-z0-9]Ad|[Dd][Ff][Pp]|[Ss][Pp][Oo][Nn][Ss][Oo][Rr]|amp-embed|google-query-id/;

export function mayHoldAds(page: Buffer): boolean {
  return AD_NAMES.test(page.toString('latin1'));
}
