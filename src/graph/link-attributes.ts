/**
 * Describes how a link looks on its page (E6), as one small number.
 *
 * In: visibility (bold, italic), position (third of the page) and distance (same host or not). Out: a code that link
 * lists store, and the weight of such a link in PageRank. Codes are written to disk. They are numbered independently of
 * the weights, so a change of the weights does not change their meaning.
 */
/** Plain; bold or italic; bold and italic. */
export const VISIBILITIES = [1, 2, 3] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/**
 * The last third of the page, the middle third, the first third. A reader meets
 * the first third first, so it counts most.
 */
export const POSITIONS = [1, 2, 3] as const;
export type Position = (typeof POSITIONS)[number];

export const SAME_HOST = 1;
export const OTHER_HOST = 5;
export const DISTANCES = [SAME_HOST, OTHER_HOST] as const;
export type Distance = (typeof DISTANCES)[number];

export interface LinkAttributes {
  readonly visibility: Visibility;
  readonly position: Position;
  readonly distance: Distance;
}

export const ATTRIBUTE_CODES = 18;

/** The code of the plainest link: in the last third of a page, to the same host. */
export const PLAINEST_CODE = 0;

export function encodeAttributes({ visibility, position, distance }: LinkAttributes): number {
  return attributeCode(visibility, position, distance === SAME_HOST);
}

/** Like encodeAttributes, but without an object, because it is called for each link of each page. */
export function attributeCode(visibility: Visibility, position: Position, isSameHost: boolean): number {
  return ((visibility - 1) * POSITIONS.length + (position - 1)) * DISTANCES.length + (isSameHost ? 0 : 1);
}

/** The attributes of a code. An unknown code is an internal error. */
export function decodeAttributes(code: number): LinkAttributes {
  const attributes = BY_CODE[code];
  if (attributes === undefined) throw new RangeError(`there is no attribute code ${code}`);
  return attributes;
}

const BY_CODE: readonly LinkAttributes[] = VISIBILITIES.flatMap((visibility) =>
  POSITIONS.flatMap((position) => DISTANCES.map((distance) => ({ visibility, position, distance }))),
);

/**
 * The weight of a link by its code: the product of the three numbers of the paper, 1 to 45. The three are independent
 * factors: a bold link counts twice as much as a plain one in the same place, and a link to another host counts five
 * times as much as one within the host. See docs/graph.md.
 */
export const LINK_WEIGHTS: Float64Array = Float64Array.from(
  BY_CODE,
  ({ visibility, position, distance }) => visibility * position * distance,
);
