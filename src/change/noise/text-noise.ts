/**
 * Cleans short texts that describe the visit and not the subject. A rule matches a whole text, or a whole part of it
 * between separators, but never a part of a sentence: "The film has 1,234 views" is prose. Numbers are replaced by a
 * placeholder; the words around them stay.
 */
import { clockOffset } from './clock-noise.ts';
import type { NoiseLog } from './noise-log.ts';
import { ageClass, ageStart, isShortAge } from './relative-time.ts';

/** The surroundings of a text, which decide which rules apply. */
export interface TextPlace {
  /** True in a heading, a table cell, a form option, a quotation or code, where every text matters. */
  readonly isKept: boolean;
  readonly isFooter: boolean;
  /** True in a time element whose datetime is a point in time. */
  readonly isMoment: boolean;
  /** Whether the text is not part of a sentence and has no label. Called only if it matters. */
  readonly standsAlone: () => boolean;
  /** When the page was sent; undefined if that is not known. */
  readonly sentAtMs: number | undefined;
}

/** A quick check that most texts fail. */
export function mayBeNoise(text: string, isFooter: boolean): boolean {
  if (text.length > (isFooter ? MAX_FOOTER_CHARS : MAX_CHARS)) return false;
  return /\d/.test(text) || (text.length <= MAX_AGE_CHARS && / (?:ago|now)/.test(text));
}

/** Longer texts are prose. A line of a footer may contain addresses beside its year. */
const MAX_CHARS = 160;
const MAX_FOOTER_CHARS = 600;
/** White space matches only from its beginning: a search from every position in it would take quadratic time. */
const SEPARATOR = /((?<!\s)\s+[·•|]\s*|[·•|]\s*|(?<!\s)\s+[–—/-]\s+)/;
const NUMBER = String.raw`\d{1,3}(?:[,.\u00a0\u202f' ]\d{3}){1,4}|\d{1,12}(?:[.,]\d)?`;
export const COUNT_TEXT = String.raw`(?:${NUMBER})\s?(?:k|m|b|bn|mio|tsd)?\.?\+?`;
const ALL_COUNTS = new RegExp(COUNT_TEXT, 'gi');

const SECONDS = String.raw`\d{1,6}(?:[.,]\d{1,9})?\s?(?:s|sec|secs|seconds?|second\(s\)|ms|msec|millis|milliseconds?|µs|us)\.?`;
/** "Page generated in 0.042 seconds with 18 queries" and, in a footer, "18 queries in 0.042 s", "Render time: 42 ms" */
const QUERIES = String.raw`\d{1,6} (?:sql |db |database |mysql )?queries`;
const WITH_QUERIES = String.raw`(?:[,;]? ?(?:with|using|and|\()? ?${QUERIES}\)?)?`;
/** The page must be the subject: "Rendered in 12 ms" and "Page load time" are the content of a speed test. */
const TIMINGS = whole(
  String.raw`(?:this |the )?page (?:was )?(?:generated|rendered|served|created)(?: by [\w.-]{1,30})? in:? ${SECONDS}${WITH_QUERIES}\.?`,
);
/** In the footer of a page, the text need not name the page. */
const FOOTER_TIMINGS = whole(
  String.raw`(?:generated|rendered|served|created|processed|executed) in:? ${SECONDS}${WITH_QUERIES}\.?`,
  String.raw`${QUERIES}(?: in|[,;])? ${SECONDS}\.?`,
  String.raw`(?:page |server )?(?:generation|render) time:? ${SECONDS}\.?`,
);
/**
 * The page itself must be the subject: the date of a report, a quote or a result "generated at …" is for its reader.
 */
const RENDERED_AT = whole(
  String.raw`(?:this |the )?page (?:was )?(?:last )?(?:generated|rendered|cached|served|created by the server)(?: at| on|:)?:? [\w, :./+-]{0,40}\d{1,2}:\d\d(?::\d\d(?:\.\d{1,6})?)?[\w :+()./-]{0,20}`,
);

/** A machine name, which contains a digit. */
const MACHINE = String.raw`(?=[a-z0-9.-]{0,62}\d)[a-z][a-z0-9]{0,30}(?:[.-][a-z0-9]{1,30}){0,6}`;
/** The page must be the subject: meals are served by gate 7, and Anna5 is a host. */
const SERVED_BY = whole(
  String.raw`(?:this )?(?:page|content|request) (?:was )?(?:served|rendered|delivered|handled|generated) (?:by|from|on) (?:server |host |node |backend )?${MACHINE}\.?`,
);

export const ONLINE_WORDS = `(?:users?|guests?|members?|visitors?|people|readers?|bots?)`;
/** A flat has two views, and a vote has likes. Ten or more views are counts of readers. */
const MANY = String.raw`(?:\d(?=\d|[.,]\d|\s?[kmb])|\d(?=[.,\u00a0\u202f' ]\d{3}))`;
const COUNTERS = whole(
  `(?=${MANY})${COUNT_TEXT} (?:page ?)?views?(?: so far| today| total)?`,
  `(?:page ?views?|views?|page hits|view count):? ?${COUNT_TEXT}(?: times)?`,
  String.raw`viewed ${COUNT_TEXT} times\.?`,
  String.raw`this page has been (?:viewed|accessed|visited|read|seen) ${COUNT_TEXT} times\.?`,
  `${COUNT_TEXT} page hits`,
  String.raw`(?:there (?:are|is) )?(?:currently |now )?${COUNT_TEXT} ${ONLINE_WORDS}(?: (?:and|,) ${COUNT_TEXT} ${ONLINE_WORDS})?(?: are| is)? (?:currently )?(?:online|(?:browsing|viewing|reading) this(?: page| forum| topic| thread| item| product)?)(?: now| right now| at the moment)?\.?`,
  `${ONLINE_WORDS} online(?: now)?: ?${COUNT_TEXT}`,
  String.raw`users (?:browsing|viewing|reading) this (?:thread|topic|forum|page): ?${COUNT_TEXT} (?:guest|member|user)(?:s|\(s\))?`,
  String.raw`you are (?:our )?visitor (?:number|no\.?|#) ?${COUNT_TEXT}\.?`,
  // The words for views in other languages. Each is used only for pages and films.
  `${COUNT_TEXT} (?:aufrufe?|vues?|visualizaciones|visualizações|visualizzazioni|weergaven|wyświetleń|visningar|visninger|просмотр(?:ов|а)?|次观看|次瀏覽|回視聴|조회)`,
);

/** Every count contains one of these words, as in relative-time.ts. */
const COUNT_WORD =
  /view|hits|times|online|brows|reading|visitor|aufruf|vue|visuali|weergaven|wyświetleń|visn|просмотр|次观看|次瀏覽|回視聴|조회/i;
/** Every text of a server about itself contains one of these words, except in a footer. */
const SERVED_WORD = /page|content|request/i;

/** Every text that a rule matches contains one of these words, so one check replaces six. */
const KEYWORD =
  /ago|now|vor |il y a|hace |há |fa$|geleden|sedan|temu|назад|前|전|view|hits|online|brows|watch|reading|accessed|visited|read |visitor|seen|aufruf|vue|visuali|weerg|wyśw|visn|просмотр|次|回|조회|generated|rendered|created|built|loaded|served|processed|executed|delivered|took|time|quer|memory|server|host|node|backend|instance|pod|worker|container|cached|handled|zeit|jetzt|currently/i;

const YEAR = String.raw`(?:19|20)\d\d`;
const LONE_YEAR = new RegExp(`^${YEAR}$`);
const YEARS = String.raw`(?:${YEAR}\s?[–—-]\s?)?(${YEAR})(?!\d|\s?[–—-]\s?\d)`;
const SIGN = String.raw`(?:©|\([cC]\))(?:\s*(?:[Cc]opyright|COPYRIGHT))?`;
/** The year directly after the sign or the word. "Copyright Act 1976" does not match. */
const YEAR_FIRST = new RegExp(String.raw`(?:${SIGN}|\b[Cc]opyright|\bCOPYRIGHT)[\s:,]{0,3}${YEARS}`, 'u');
/** The year after the sign and a name with a capital in each word, at the end of the line or before "All rights". */
const YEAR_LAST = new RegExp(
  String.raw`${SIGN}(?:\s*by)?[\s:,]{0,3}(?:(?:(?:of|the|and|for|de|und|et|van|von)\s)?[\p{Lu}&][\p{L}\d&'’-]{0,30}\.?,?\s){1,6}${YEARS}(?=\s{0,3}(?:$|[.,;|·•–—]\s{0,3}(?:$|[Aa]ll )|[Aa]ll [Rr]ights))`,
  'u',
);

/** An age may have no digit: "just now", "an hour ago". */
const MAX_AGE_CHARS = 80;

/** Cleans a text for which `mayBeNoise` is true. */
export function cleanText(text: string, place: TextPlace, log: NoiseLog): string {
  const cleaned = place.isFooter && !place.isKept ? withoutYear(text, log) : text;
  if (cleaned.length > MAX_CHARS) return cleaned;
  if (!place.isMoment && !KEYWORD.test(cleaned)) return cleaned;
  const clock = place.isKept || place.sentAtMs === undefined ? null : clockOffset(cleaned.trim(), place.sentAtMs);
  if (clock !== null && log.takes('clock', cleaned)) return `(clock, ${clock} minutes)`;
  const whole = cleanPart(cleaned, place, log);
  if (whole !== cleaned || !SEPARATOR.test(cleaned)) return whole;
  const parts = cleaned.split(SEPARATOR);
  for (let at = 0; at < parts.length; at += 2) parts[at] = cleanPart(parts[at]!, place, log);
  return parts.join('');
}

/** Whether the text is only the year, in its own element after "©". */
export function isYearOf(before: string, text: string): boolean {
  return LONE_YEAR.test(text.trim()) && /(?:©|\(c\)|\bcopyright)\s*$/i.test(before.slice(-40));
}

function cleanPart(part: string, place: TextPlace, log: NoiseLog): string {
  const bare = part
    .trim()
    .replace(/^\((.*)\)$/, '$1')
    .replace(/^[,;] | [.,;]$/g, '');
  if (bare === '') return part;
  const age = place.isMoment && isShortAge(bare) ? 0 : ageStart(bare);
  if (age !== -1 && (!place.isKept || place.isMoment) && place.standsAlone() && log.takes('relative-time', part)) {
    return part.replace(
      bare,
      () => `${bare.slice(0, age)}(${place.isMoment ? 'a while' : ageClass(bare.slice(age))} ago)`,
    );
  }
  if (place.isKept || !/\d/.test(bare)) return part;
  if (COUNT_WORD.test(bare) && COUNTERS.test(bare))
    return place.standsAlone() && log.takes('counter', part) ? wordsOf(part) : part;
  const mayBeServed = SERVED_WORD.test(bare);
  const isTiming = mayBeServed && (TIMINGS.test(bare) || RENDERED_AT.test(bare));
  if (isTiming || (place.isFooter && FOOTER_TIMINGS.test(bare)))
    return log.takes('render-time', part) ? '(render time)' : part;
  return mayBeServed && SERVED_BY.test(bare) && log.takes('server-marker', part) ? '(server)' : part;
}

/** The words stay, so that a change from views to likes is noticed. */
function wordsOf(part: string): string {
  return part
    .toLowerCase()
    .replace(ALL_COUNTS, '# ')
    .replace(/\s+/g, ' ')
    .replace(/\b(view|user|guest|member|visitor|reader)s?\b/g, '$1s')
    .replace(/\b(?:is|are) /g, '');
}

function withoutYear(text: string, log: NoiseLog): string {
  const found = YEAR_FIRST.exec(text) ?? YEAR_LAST.exec(text);
  if (found === null || !log.takes('copyright-year', found[0])) return text;
  const end = found.index + found[0].length;
  return `${text.slice(0, end - found[1]!.length)}(year)${text.slice(end)}`;
}

function whole(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})$`, 'i');
}
