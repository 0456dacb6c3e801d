/**
 * Where the words of a page stand. Each field has its own range of positions, so one list of positions per term and
 * page says in which fields the term is, and phrases never cross from one field into the next.
 */

export const TITLE_FROM = 0;
export const URL_FROM = 128;
export const DESCRIPTION_FROM = 256;
export const TEXT_FROM = 512;
/** Pages with more words are cut. */
export const MAX_POSITION = 2 ** 24;

/** The texts of the links of a page have an index of their own. Each link has this many positions. */
export const LINK_POSITIONS = 64;
export const MAX_LINKS = 10_000;

/** What a word of each kind of place counts. */
export const PLACES = ['text', 'heading', 'template', 'title', 'url', 'description'] as const;
export type Place = (typeof PLACES)[number];
export const PLACE_BITS = 3;

/** Chosen by measurement (docs/search-ranking.md). */
export const PLACE_WEIGHTS: Readonly<Record<Place, number>> = {
  text: 1,
  heading: 2,
  template: 0.2,
  title: 3,
  url: 2,
  description: 1.5,
};

/** The weights by the code of the place, for the inner loop of the writer. */
export const WEIGHT_OF_CODE = Float64Array.from(PLACES, (place) => PLACE_WEIGHTS[place]);

/**
 * The sum of the weights of a term on a page is stored in seven bits of a byte, on a logarithmic scale: steps of 5 %,
 * up to 130. More than that adds almost nothing to a score. The lowest bit says that the term is in the title.
 */
const STEPS = 14;
export const IN_TITLE = 1;

export function weightByte(weight: number): number {
  return 2 * Math.max(1, Math.min(127, Math.round(STEPS * Math.log2(1 + 4 * weight))));
}

export const WEIGHT_OF_BYTE = Float64Array.from({ length: 256 }, (_, byte) => (2 ** ((byte >> 1) / STEPS) - 1) / 4);

/** The weight of a term that is once in the text of a page. */
export const ONCE = weightByte(PLACE_WEIGHTS.text);

/** The number of words of a page, in a byte: steps of 6 %, up to two million. */
const LENGTH_STEPS = 12;
export function lengthCode(words: number): number {
  return Math.min(255, Math.round(LENGTH_STEPS * Math.log2(1 + words)));
}

export const LENGTH_OF_BYTE = Float64Array.from({ length: 256 }, (_, code) => 2 ** (code / LENGTH_STEPS) - 1);
