/**
 * What a link looks like on its page (E6), as one small number.
 *
 * In come visibility (bold, italic), position (third of the page) and distance (same host or not); out goes a code that link
 * lists store, and the weight that PageRank gives such a link. Codes are written to disk: they are counted through, so that
 * another choice of weights would not change what they mean.
 */
/** Plain, bold or italic, bold and italic. */
export const VISIBILITIES = [1, 2, 3] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** The last third of the page, the middle one, the first: what a reader meets first is the most significant. */
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

/** Of the plainest link there is: in the last third of a page of the same host. */
export const PLAINEST_CODE = 0;

export function encodeAttributes({ visibility, position, distance }: LinkAttributes): number {
  return attributeCode(visibility, position, distance === SAME_HOST);
}

/** The same without an object: asked for each link of each page. */
export function attributeCode(visibility: Visibility, position: Position, isSameHost: boolean): number {
  return ((visibility - 1) * POSITIONS.length + (position - 1)) * DISTANCES.length + (isSameHost ? 0 : 1);
}

/** By code. A code that does not exist is a fault of ours. */
export function decodeAttributes(code: number): LinkAttributes {
  const attributes = BY_CODE[code];
  if (attributes === undefined) throw new RangeError(`there is no attribute code ${code}`);
  return attributes;
}

const BY_CODE: readonly LinkAttributes[] = VISIBILITIES.flatMap((visibility) =>
  POSITIONS.flatMap((position) => DISTANCES.map((distance) => ({ visibility, position, distance }))),
);

/**
 * The weight of a link by its code: the product of the paper's three numbers, 1 to 45. They are factors, each independent of
 * the others: a bold link counts twice a plain one in the same place, a link to another host five times one within the host,
 * wherever they are. docs/graph.md says more.
 */
export const LINK_WEIGHTS: Float64Array = Float64Array.from(
  BY_CODE,
  ({ visibility, position, distance }) => visibility * position * distance,
);
