/**
 * The known links of one page, each target once, in the order of their first appearance. If a page links to a target
 * several times, the most important link counts.
 *
 * One object serves for all pages. With 60 links it takes 1.2 to 2 µs for a page, and a Map for each page 3.8 to 7.8.
 */
import { LINK_WEIGHTS } from '../../graph/link-attributes.ts';
import { linkValue } from '../../graph/link-list.ts';

const FIRST_SLOTS = 256;

export class DistinctLinks {
  /** The place of a target among the targets, plus one. 0 is an empty slot. At most half of the slots are used. */
  #slots = new Uint32Array(FIRST_SLOTS);
  readonly #targets: number[] = [];
  readonly #codes: number[] = [];

  clear(): this {
    if (this.#slots.length > FIRST_SLOTS) this.#slots = new Uint32Array(FIRST_SLOTS);
    else this.#slots.fill(0);
    this.#targets.length = 0;
    this.#codes.length = 0;
    return this;
  }

  add(target: number, code: number): void {
    const slot = this.#slotOf(target);
    const place = (this.#slots[slot] as number) - 1;
    if (place >= 0) {
      if (isStronger(code, this.#codes[place] as number)) this.#codes[place] = code;
      return;
    }
    this.#codes.push(code);
    this.#slots[slot] = this.#targets.push(target);
    if (this.#targets.length * 2 > this.#slots.length) this.#grow();
  }

  /** The links as the store keeps them (graph/link-list.ts). */
  values(): number[] {
    return this.#targets.map((target, place) => linkValue(target, this.#codes[place] as number));
  }

  #slotOf(target: number): number {
    const last = this.#slots.length - 1;
    let slot = (Math.imul(target, 0x9e3779b1) >>> 8) & last;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & last) {
      if (this.#targets[(this.#slots[slot] as number) - 1] === target) break;
    }
    return slot;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 4);
    for (const [place, target] of this.#targets.entries()) this.#slots[this.#slotOf(target)] = place + 1;
  }
}

/** Returns true if a link with the first attribute code counts more than one with the second. */
export function isStronger(code: number, other: number): boolean {
  return LINK_WEIGHTS[code]! > LINK_WEIGHTS[other]!;
}
