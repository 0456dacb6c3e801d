/**
 * What the name of an element says about its content. Elements that are not in the table are inline, such as `<b>` or
 * `<span>`.
 */

/** The element begins a new line. Its text is a block of its own. */
export const BLOCK = 1;
/** Neither the element nor its content is visible text. */
export const SKIPPED = 2;
export const HEADING = 4;
/** The element is made for sentences. */
export const PARAGRAPH = 8;
export const LIST = 16;
export const ITEM = 32;
export const TABLE = 64;
export const LINK = 128;
/** White space is a part of the text. */
export const PREFORMATTED = 256;
/** The element groups blocks and says nothing more. */
export const BOX = 512;
/** A picture, a video or something else that is content without being text. */
export const MEDIA = 1024;
export const CELL = 2048;
export const LINE_BREAK = 4096;
export const CAPTION = 8192;
export const QUOTE = 16_384;
/** The root elements, whose class names describe the whole page. */
export const PAGE = 32_768;

const GROUPS: readonly (readonly [traits: number, names: string])[] = [
  [BLOCK | PAGE, 'html body'],
  [BLOCK | BOX, 'div section article main center header footer nav aside form fieldset details hgroup search dialog'],
  [BLOCK | PARAGRAPH, 'p'],
  [BLOCK | HEADING, 'h1 h2 h3 h4 h5 h6'],
  [BLOCK | PREFORMATTED, 'pre listing xmp plaintext'],
  [BLOCK | QUOTE, 'blockquote'],
  [BLOCK | LIST, 'ul ol dl menu dir'],
  [BLOCK | ITEM, 'li dt dd'],
  [BLOCK | TABLE, 'table'],
  [BLOCK, 'thead tbody tfoot tr address summary hr legend optgroup'],
  [BLOCK | CELL, 'td th'],
  [BLOCK | CAPTION, 'figcaption caption'],
  [BLOCK | MEDIA, 'figure'],
  [MEDIA, 'img picture video audio math canvas'],
  [LINE_BREAK, 'br'],
  [LINK, 'a'],
  [SKIPPED, 'head script style noscript template iframe object embed applet svg noembed noframes frameset'],
  [SKIPPED, 'button input select textarea option datalist progress meter map area title meta link param source track'],
];

const TRAITS = new Map(GROUPS.flatMap(([traits, names]) => names.split(' ').map((name) => [name, traits] as const)));

export function traitsOf(name: string): number {
  return TRAITS.get(name) ?? 0;
}
