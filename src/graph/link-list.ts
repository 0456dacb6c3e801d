/**
 * The encoded links of one page, a few bytes per link.
 *
 * A link is a *link value*: the target's id times 18 plus its attribute code. In: link values in any order. Out: bytes.
 * The values ascend, and each is stored as its difference from the previous value in base-128 digits. Each target
 * occurs once: if a page has several links to it, the one with the greatest weight counts. A link of a page to itself
 * is left out: a page cannot vote for itself.
 */
import { OrbweaverError } from '../core/errors.ts';
import { MAX_NUMBER_BYTES, writeNumber } from './base-128.ts';
import { ATTRIBUTE_CODES, LINK_WEIGHTS } from './link-attributes.ts';

export interface LinkList {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** Ids are at most this large, so that link values are exact integers in a double. */
export const MAX_ID = 2 ** 48;
export const MAX_LINK_VALUE: number = MAX_ID * ATTRIBUTE_CODES + ATTRIBUTE_CODES - 1;

/** No URL has this id. */
const NO_PAGE = 0;

export function linkValue(id: number, attributeCode: number): number {
  return id * ATTRIBUTE_CODES + attributeCode;
}

export function targetOf(value: number): number {
  return Math.floor(value / ATTRIBUTE_CODES);
}

export function attributeCodeOf(value: number): number {
  return value % ATTRIBUTE_CODES;
}

/** Encodes one list of link values, or two lists together, without the links of the page to itself. */
export function encodeLinkList(some: ArrayLike<number>, others: ArrayLike<number> = [], page = NO_PAGE): LinkList {
  const values = some.length + others.length;
  if (values > roomForValues.length) makeRoom(values);
  const sorted = roomForValues.subarray(0, values);
  sorted.set(some);
  sorted.set(others, some.length);
  sorted.sort();
  const count = keepStrongest(sorted, page);
  const bytes = roomForBytes;
  let length = 0;
  let previous = 0;
  for (let i = 0; i < count; i++) {
    const value = sorted[i]!;
    length = writeNumber(bytes, length, value - previous);
    previous = value;
  }
  return { bytes: bytes.slice(0, length), count };
}

// Reused for each page. Allocating new arrays for thousands of pages per second would be most of the work.
let roomForValues = new Float64Array(0);
let roomForBytes = new Uint8Array(0);

function makeRoom(values: number): void {
  roomForValues = new Float64Array(values * 2);
  roomForBytes = new Uint8Array(values * 2 * MAX_NUMBER_BYTES);
}

/**
 * Moves the strongest value of each target except `page` to the front, still in ascending order, and returns their
 * number.
 */
function keepStrongest(sorted: Float64Array, page: number): number {
  if (sorted.length === 0) return 0;
  // NaN is sorted to the end, so checking the first and the last value checks all values.
  if (!(sorted[0]! >= ATTRIBUTE_CODES && sorted.at(-1)! <= MAX_LINK_VALUE)) {
    throw new OrbweaverError('ERR_INTERNAL', `the numbers from ${sorted[0]} to ${sorted.at(-1)} are not link values`);
  }
  let count = 0;
  let target = 0;
  for (const value of sorted) {
    const id = targetOf(value);
    if (id === page) continue;
    if (id !== target) {
      sorted[count++] = value;
      target = id;
    } else if (weightOf(value) >= weightOf(sorted[count - 1]!)) {
      sorted[count - 1] = value;
    }
  }
  return count;
}

function weightOf(value: number): number {
  return LINK_WEIGHTS[attributeCodeOf(value)]!;
}

export function damagedLinks(at: number): OrbweaverError {
  return new OrbweaverError('ERR_STORE', `the stored links are damaged near byte ${at}`);
}
