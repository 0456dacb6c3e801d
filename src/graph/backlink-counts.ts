/**
 * Stores how many pages link to each URL, for a block of neighbouring ids. The counts are encoded as one or two bytes
 * per URL, without the zeros at the end.
 */
import { MAX_NUMBER_BYTES, NumberReader, writeNumber } from './base-128.ts';

export const BLOCK_IDS = 1024;

const encoded = new Uint8Array(BLOCK_IDS * MAX_NUMBER_BYTES);

export type CountChange = (id: number, before: number, after: number) => void;

export function readCounts(bytes: Uint8Array | undefined, counts: Float64Array): void {
  counts.fill(0);
  if (bytes === undefined) return;
  const reader = new NumberReader(bytes);
  for (let i = 0; reader.at < bytes.length; i++) counts[i] = reader.next();
}

/** The returned bytes are valid until the next call. */
export function writeCounts(counts: Float64Array): Uint8Array {
  let last = BLOCK_IDS;
  while (last > 0 && counts[last - 1] === 0) last--;
  let length = 0;
  for (let i = 0; i < last; i++) length = writeNumber(encoded, length, counts[i] as number);
  return encoded.subarray(0, length);
}

/**
 * Adds `by` for each target in the block of the target at `at`. The targets ascend from there on, and a target that
 * occurs twice counts twice. Returns the index of the first target after the block.
 */
export function addToBlock(
  counts: Float64Array,
  targets: Float64Array,
  at: number,
  by: number,
  onChange: CountChange,
): number {
  const block = Math.floor((targets[at] as number) / BLOCK_IDS);
  const end = (block + 1) * BLOCK_IDS;
  while (at < targets.length && (targets[at] as number) < end) {
    const id = targets[at] as number;
    const from = at;
    do at++;
    while (at < targets.length && targets[at] === id);
    const place = id - block * BLOCK_IDS;
    const before = counts[place] as number;
    counts[place] = before + by * (at - from);
    onChange(id, before, counts[place]);
  }
  return at;
}

/** How often a count of back-links has doubled. A URL is first ranked as if one page linked to it. */
export function doublings(backlinks: number): number {
  return Math.floor(Math.log2(Math.max(1, backlinks)));
}
