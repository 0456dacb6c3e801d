/**
 * Decides whether an id or a class names an element as an advertisement. Every word of the name must be known:
 * `ad-slot` and `sidebar_ad_2` are advertisements, but `job-ad`, `has-ads` and `ad-details` are content, and `header`
 * or `download` do not contain the word at all.
 */

/** Words that are used for advertisements only. */
const STRONG = new Set(
  'advertisement advertisements adsbygoogle adslot adunit adbox adbanner dfp sponsored adcontainer adwrapper adspace adzone'.split(
    ' ',
  ),
);
/** Words that are also used for small ads and job offers, which people do read. */
const WEAK = new Set(['ad', 'ads', 'advert', 'adverts']);
/** Words about the position and the form of an element, never about its subject. */
const PLACING = new Set(
  `top bottom left right side sidebar header footer inline slot slots box boxes unit units container wrapper wrap holder banner banners block zone space
  area placement placements leaderboard skyscraper mpu rectangle billboard halfpage native mobile desktop tablet sticky fixed float floating interstitial
  overlay body in mid middle center centre before after between section label google gpt dfp div js lazy responsive
  display third party placeholder frame iframe script tag rail row col column wide large small medium big xl lg md sm xs outer inner
  first second last a b c d e gam prebid taboola outbrain region`.split(/\s+/),
);
/**
 * Words about the content of an element. `sponsored-post` is an advertisement. `ad-text` and `ad-card` are parts of a
 * small ad. `article-ad` is an advertisement again.
 */
const SUBJECT = new Set(
  'article content video feed stream story stories post posts link links result results product products text image img widget card'.split(
    ' ',
  ),
);
const BEFORE_WEAK = new Set(['article', 'content', 'video', 'feed', 'stream']);
const NUMBER_OR_SIZE = /^(?:\d{1,16}|\d{2,4}x\d{2,4}|[a-z]?\d{1,3})$/;
const MAX_CHARS = 200;
const MAX_REMEMBERED = 20_000;

export type AdWords = 'none' | 'weak' | 'strong';

/** Cache of results: sites use the same few hundred classes on every page. */
const remembered = new Map<string, AdWords>();

/** `value` is the value of an id or class attribute. */
export function adWordsIn(value: string): AdWords {
  // Every name of an advertisement contains one of these letter sequences.
  if (value.length > MAX_CHARS || !/ad|dfp|sponsored/i.test(value)) return 'none';
  const known = remembered.get(value);
  if (known !== undefined) return known;
  let strongest: AdWords = 'none';
  for (const token of value.split(/\s+/)) {
    const found = wordsOfToken(token);
    if (found === 'strong') strongest = 'strong';
    else if (found === 'weak' && strongest === 'none') strongest = 'weak';
  }
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(value, strongest);
  return strongest;
}

function wordsOfToken(token: string): AdWords {
  const words = token
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([a-z]{2})(?=\d)/gi, '$1-')
    .toLowerCase()
    .split(/[-_:]+/)
    .filter((word) => word !== '');
  let found: AdWords = 'none';
  let needsStrong = false;
  for (const word of words) {
    if (STRONG.has(word)) found = 'strong';
    else if (WEAK.has(word)) found = found === 'none' ? 'weak' : found;
    else if (SUBJECT.has(word)) needsStrong ||= found === 'weak' || !BEFORE_WEAK.has(word);
    else if (!PLACING.has(word) && !NUMBER_OR_SIZE.test(word)) return 'none';
  }
  return needsStrong && found === 'weak' ? 'none' : found;
}
