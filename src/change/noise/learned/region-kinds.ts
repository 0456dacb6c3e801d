/**
 * The kinds of content that may be ignored if they change at every visit. Readers follow prices, dates, temperatures,
 * scores and stock because they change. So a bare number or a time of day is ignored only if the words around it say
 * that it counts visitors or shows the server's clock, and if no word around it matters to readers.
 */
import type { OutlineNode } from '../../../core/page/page-outline.ts';
import { holdsUuid, isEpoch, looksRandom } from '../looks-random.ts';

export const REGION_KINDS = ['number', 'clock', 'identifier', 'token', 'rotation'] as const;
export type RegionKind = (typeof REGION_KINDS)[number];

const WHOLE_NUMBER = /^\d{1,3}(?:[,.' \u00a0\u202f]\d{3}){0,2}$|^\d{1,9}$/;
const CLOCK =
  /^(?:(?:server|local|current) time:? )?\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:uhr|utc|gmt|[a-z]{3,4}))?$/i;
const LABELLED = /^(?:[\p{L} ]{1,20}[:#] ?)?(\S{16,200})$/u;

const OF_VISITORS = words(
  'view views viewed visitor visitors visits hit hits like likes online user users guest guests watching read reads share shares download downloads request requests impressions plays counter clicks sessions viewers viewer listeners seen pageviews',
);
const OF_CLOCK = words('clock now current server local generated rendered loaded refreshed uhr');
/** Words about things for which readers wait, pay or decide. */
const OF_READERS = words(
  `price prices cost costs stock left available availability remaining seat seats room rooms ticket tickets place places temp temperature degree degrees
  celsius fahrenheit wind rain humidity score scores point points goal goals rank rating ratings vote votes balance total amount qty quantity sum job
  jobs result results open opens opening close closes closing hours cases deaths infected usd eur euro euros dollar dollars sold sale gbp chf jpy btc eth km kg mph kmh percent departure
  departures arrival arrivals train flight bus tram platform gate kick kickoff start starts begin begins ends sunrise sunset next tide delivery deadline
  prayer last order orders tracking invoice serial commit checksum sha md5 license licence address voucher coupon contract wallet isbn sku
  population members followers subscribers donors donated raised signatures index quote bid ask volume high low change shares_outstanding level depth`,
);
const SIGNS_OF_READERS =
  /[\p{Sc}°%‰]|[\p{N}.,]\s?(?:kr|zł|zl|tl|rs|kč|ft|lei|лв|円|元|원)(?!\p{L})|(?<!\p{L})(?:rs|fr|kr|sfr)\.?\s?\p{N}|\p{N}[.,][-–]/iu;
const MAX_CONTEXT_WORDS = 14;

export function textKind(text: string, context: string): RegionKind | null {
  const bare = text.trim();
  if (SIGNS_OF_READERS.test(context) || SIGNS_OF_READERS.test(bare)) return null;
  const found = new Set(wordsIn(context));
  if (found.size > MAX_CONTEXT_WORDS || hasAny(found, OF_READERS)) return null;
  if (WHOLE_NUMBER.test(bare)) return hasAny(found, OF_VISITORS) ? 'number' : null;
  if (CLOCK.test(bare)) return hasAny(found, OF_CLOCK) || /time/i.test(bare) ? 'clock' : null;
  return isIdentifier(bare) ? 'identifier' : null;
}

/** A number with two decimals, as in "Lamp 39.90". */
const DECIMALS = /\d[.,]\d\d(?!\d)/;

/**
 * Whether a text may tell a price, a date or the like, wherever it stands. The words of a link are a title, in which a
 * word such as "open" or "left" means nothing without a number.
 */
export function concernsReaders(text: string, isLink: boolean): boolean {
  if (SIGNS_OF_READERS.test(text) || DECIMALS.test(text)) return true;
  if (DATE.test(isLink ? text.replace(BARE_YEAR, '') : text) || DAY_BEHIND_MONTH.test(text)) return true;
  return (!isLink || /\d/.test(text)) && hasAny(new Set(wordsIn(text)), OF_READERS);
}

/** Whether a text is still of the kind that was learned for its region. */
export function isStill(kind: RegionKind, value: string): boolean {
  const bare = value.trim();
  if (kind === 'number') return WHOLE_NUMBER.test(bare);
  if (kind === 'clock') return CLOCK.test(bare);
  if (kind === 'identifier') return isIdentifier(bare);
  return kind === 'token' && isToken(bare);
}

function isIdentifier(text: string): boolean {
  const id = LABELLED.exec(text)?.[1];
  if (id === undefined || (id !== text && hasAny(new Set(wordsIn(text.slice(0, -id.length))), OF_READERS)))
    return false;
  return holdsUuid(id) || looksRandom(id);
}

export function isToken(value: string): boolean {
  return looksRandom(value) || isEpoch(value);
}

/**
 * Whether the attribute is invisible and may hold a token. A timestamp may be the date of an article, so it counts only
 * on elements for the whole page.
 */
export function mayBeToken(node: OutlineNode, attribute: string, value: string): boolean {
  if (/price|date|time|sku|product|item|stock|amount|qty|count/i.test(attribute) && !looksRandom(value)) return false;
  const isOfPage = node.name === 'html' || node.name === 'body' || node.name === 'meta';
  const isHiddenField = node.name === 'input' && attribute === 'value' && isHidden(node);
  if (isHiddenField) return isToken(value);
  if (node.name === 'meta') return attribute === 'content' && looksRandom(value);
  return (attribute.startsWith('data-') || attribute === 'id') && (looksRandom(value) || (isOfPage && isEpoch(value)));
}

/** Limit on the names and values of one tag. Further attributes are not learned. */
export const MAX_LEARNED_ATTRIBUTES = 200;

function isHidden(node: OutlineNode): boolean {
  for (let at = 0; at < node.attributes.length && at < MAX_LEARNED_ATTRIBUTES; at += 2) {
    if (node.attributes[at] === 'type') return node.attributes[at + 1]!.toLowerCase() === 'hidden';
  }
  return false;
}

const SLOT = words(
  'promo promos promotion teaser rotator rotating slider carousel banner random spotlight sponsor sponsors',
);
const NEVER_IN_SLOT: ReadonlySet<string> = new Set(
  'h1 h2 h3 h4 h5 h6 li table time form input select textarea main article address blockquote dl audio video'.split(
    ' ',
  ),
);
export const MAX_SLOT_NODES = 40;
const MAX_SLOT_CHARS = 120;
const MAX_SLOT_LINKS = 2;
const DATE = /\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}[./]|\d\s?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;
const BARE_YEAR = /\b(?:19|20)\d\d\b/g;
/**
 * "September 3". The pattern looks backwards from the digit: a pattern that reads the
 * month forwards would start again at every letter.
 */
const DAY_BEHIND_MONTH = / \d(?<=(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d)/i;

export function isSlotName(sign: string): boolean {
  return wordsIn(sign).some((word) => SLOT.has(word));
}

/**
 * Whether the content of a slot may rotate: a short line and a picture, never headings, prices, dates, lists or prose.
 */
export function mayRotate(nodes: readonly OutlineNode[], from: number, end: number): boolean {
  if (end - from > MAX_SLOT_NODES) return false;
  let chars = 0;
  let links = 0;
  for (let at = from; at < end; at++) {
    const node = nodes[at]!;
    chars += node.text.length;
    if (node.name === 'a') links++;
    if (chars > MAX_SLOT_CHARS || links > MAX_SLOT_LINKS || NEVER_IN_SLOT.has(node.name)) return false;
    if (SIGNS_OF_READERS.test(node.text) || DATE.test(node.text) || DAY_BEHIND_MONTH.test(node.text)) return false;
  }
  return true;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

function wordsIn(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

function hasAny(found: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const word of found) if (wanted.has(word)) return true;
  return false;
}
