/**
 * The ring (P2, E3): which worker prefers which slots of hosts. In: the names of the live
 * workers. Out: a set of slots for each.
 *
 * What always holds:
 * - Each slot belongs to exactly one name, whatever the order of the names. Every worker computes the same.
 * - A worker that joins takes slots from the others and moves none between them. A worker that leaves gives its slots
 *   to the others and moves no more. So only the share of one worker ever moves.
 *
 * As in UbiCrawler, a worker has many places on the ring, which follow from its name alone, and a slot belongs to the
 * first worker at or after it. A worker has as many places as there are slots: with two workers the larger half is then
 * 51 % of the slots, where a few hundred places would make it 55.
 *
 * The ring is a preference. The lease guarantees that no two workers ask the same host (store/contract.ts).
 */
import { hash } from 'node:crypto';
import { SLOTS } from '../../url/host.ts';

const PLACES = SLOTS;
/** A place is a 32-bit number. Its upper bits are the slot that it is in. */
const PLACES_A_SLOT = 2 ** 32 / SLOTS;

export class Ring {
  readonly names: readonly string[];
  readonly #owners: Uint32Array;

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)].sort();
    this.#owners = ownersOf(this.names);
  }

  /** The name that a slot belongs to; null on an empty ring. */
  ownerOf(slot: number): string | null {
    return this.names[this.#owners[slot]!] ?? null;
  }

  /**
   * One bit per slot that belongs to the name: slot n is bit n % 8, from the lowest, of
   * byte n / 8, as `get_bit` counts.
   */
  slotsOf(name: string): Uint8Array {
    const bits = new Uint8Array(SLOTS / 8);
    const own = this.names.indexOf(name);
    if (own === -1) return bits;
    for (let slot = 0; slot < SLOTS; slot++) if (this.#owners[slot] === own) bits[slot >> 3]! |= 1 << (slot & 7);
    return bits;
  }
}

/** For each slot, the index of the name whose place comes first from the start of the slot. */
function ownersOf(names: readonly string[]): Uint32Array {
  const first = new Float64Array(SLOTS).fill(Number.POSITIVE_INFINITY);
  const owners = new Uint32Array(SLOTS);
  for (const [index, name] of names.entries()) {
    const next = placesOf(name);
    for (let i = 0; i < PLACES; i++) {
      const place = next();
      const slot = Math.floor(place / PLACES_A_SLOT);
      // If two places are equal, the name that sorts first wins. All workers sort alike.
      if (place < first[slot]!) {
        first[slot] = place;
        owners[slot] = index;
      }
    }
  }
  carryBack(first, owners);
  return owners;
}

/** A slot without a place belongs to the owner of the next place. The first slot follows the last. */
function carryBack(first: Float64Array, owners: Uint32Array): void {
  const taken = first.findIndex((place) => place !== Number.POSITIVE_INFINITY);
  if (taken === -1) return;
  let next = owners[taken]!;
  for (let slot = SLOTS - 1; slot >= 0; slot--) {
    if (first[slot] === Number.POSITIVE_INFINITY) owners[slot] = next;
    else next = owners[slot]!;
  }
}

/** 32-bit numbers derived from a name: sfc32, seeded with the hash of the name. */
function placesOf(name: string): () => number {
  const seed = hash('sha256', name, 'buffer');
  let a = seed.readInt32LE(0);
  let b = seed.readInt32LE(4);
  let c = seed.readInt32LE(8);
  let counter = 1;
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
}
