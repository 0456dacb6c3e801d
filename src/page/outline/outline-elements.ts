/**
 * The properties of HTML elements for a stack of open elements: which have no content, which end others, and which end
 * only within a scope (HTML standard 13.2.4.2 and 13.2.6). It is a separate table because html-names.ts has only the
 * elements that matter for links and text.
 */
import { HTML_TYPES } from '../content-kind.ts';
import type { ForeignContent } from '../html/foreign-content.ts';
import { NameTable, TAG_BITS, TAGS } from '../html/html-names.ts';
import type { AttributeReader } from '../html/read-attributes.ts';

/** The element has no content and no end tag. */
export const VOID = 1;
/** The end tag of an ordinary element does not reach past this element. */
export const SPECIAL = 2;
/** The start tag of the element ends an open `<p>`. */
export const ENDS_P = 4;
/** The end tag of a special element does not reach past this element. */
export const SCOPE = 8;
/** The content is not markup. It is text without character references. */
export const RAW_TEXT = 16;
/** The content is not markup. It is text with character references. */
export const ESCAPABLE_TEXT = 32;
/** A browser reopens the element if elements were closed in the wrong order. */
export const FORMATTING = 64;
/** The element may stand in `<head>`. Any other element ends the head. */
export const OF_HEAD = 128;
export const HEADING = 256;
/** A part of a table. The effect of its start and end tags does not go beyond the table. */
export const TABLE_PART = 512;
/** `<li>`, `<dt>`, `<dd>`: the start tag ends the previous item, but does not reach past a list. */
export const ITEM = 1024;

/** A part of `<ruby>`. Its start tag ends the previous part. */
export const RUBY_PART = 2048;

const BLOCK = SPECIAL | ENDS_P;
const EMPTY = SPECIAL | VOID;

const GROUPS: readonly (readonly [bits: number, names: string])[] = [
  [BLOCK, 'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header'],
  [BLOCK, 'hgroup main menu nav ol p search section summary ul pre listing form'],
  [BLOCK | HEADING, 'h1 h2 h3 h4 h5 h6'],
  [BLOCK | ITEM, 'li dt dd'],
  [BLOCK | RAW_TEXT, 'plaintext xmp'],
  [BLOCK | SCOPE, 'table'],
  [SPECIAL | TABLE_PART, 'tbody thead tfoot tr colgroup'],
  [SPECIAL | TABLE_PART | SCOPE, 'td th caption'],
  [SPECIAL | SCOPE, 'html applet marquee object'],
  [SPECIAL | SCOPE | OF_HEAD, 'template'],
  [SPECIAL, 'body button frameset head select'],
  [SPECIAL | OF_HEAD, 'noscript'],
  [SPECIAL | RAW_TEXT, 'iframe noembed'],
  [SPECIAL | RAW_TEXT | OF_HEAD, 'script style noframes'],
  [SPECIAL | ESCAPABLE_TEXT | OF_HEAD, 'title'],
  [SPECIAL | ESCAPABLE_TEXT, 'textarea'],
  [EMPTY, 'area br col embed frame img input keygen param source track wbr'],
  [EMPTY | OF_HEAD, 'base basefont bgsound link meta'],
  [EMPTY | ENDS_P, 'hr'],
  [FORMATTING, 'a b big code em font i nobr s small strike strong tt u'],
  [RUBY_PART, 'rt rp rb rtc'],
  [0, 'option optgroup ruby span label svg math'],
];

const NAMES = ['', ...GROUPS.flatMap(([, names]) => names.split(' '))];
const BITS = [0, ...GROUPS.flatMap(([bits, names]) => names.split(' ').map(() => bits))];

/** The names that matter to the stack. `find` returns 0 for all other names. */
export const ELEMENTS = new NameTable(NAMES);
export const ELEMENT_BITS = Uint16Array.from(BITS);

/**
 * Connects the outline to foreign-content.ts, which finds where svg and math begin and end. That file identifies
 * elements by their numbers in html-names.ts.
 */
const IDS = new Map(TAGS.names.map((name, id) => [name, id]));
const FONT_STYLES = ['color', 'face', 'size'];

/** Elements of svg and math in which HTML begins again. The elements themselves are foreign. */
const INTEGRATION_POINTS = new Set('foreignobject desc title mi mo mn ms mtext annotation-xml'.split(' '));

export function isIntegrationPoint(name: string): boolean {
  return INTEGRATION_POINTS.has(name);
}

export function enterForeign(foreign: ForeignContent, name: string, tag: AttributeReader): void {
  const id = IDS.get(name) ?? 0;
  const encoding = name === 'annotation-xml' ? (tag.value('encoding') ?? '').toLowerCase() : '';
  foreign.startTag(id, TAG_BITS[id] as number, {
    selfClosing: tag.selfClosing,
    holdsHtml: HTML_TYPES.includes(encoding),
    styledFont: name === 'font' && FONT_STYLES.some((style) => tag.value(style) !== undefined),
  });
}

export function leaveForeign(foreign: ForeignContent, name: string, isOpen: boolean): void {
  const id = IDS.get(name) ?? 0;
  foreign.endTag(id, TAG_BITS[id] as number, isOpen);
}
