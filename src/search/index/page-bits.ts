/** A set of the pages of a segment: one bit for each page. All operators of a query are operations on these sets. */

/** The number of ones in a word of 32 bits. */
export function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

export class PageBits {
  readonly pages: number;
  readonly words: Uint32Array<ArrayBuffer>;

  constructor(pages: number, words = new Uint32Array((pages + 31) >>> 5)) {
    this.pages = pages;
    this.words = words;
  }

  static all(pages: number): PageBits {
    const bits = new PageBits(pages);
    bits.words.fill(0xffff_ffff);
    const rest = pages & 31;
    if (rest > 0) bits.words[bits.words.length - 1] = 2 ** rest - 1;
    return bits;
  }

  static of(pages: number, members: Iterable<number>): PageBits {
    const bits = new PageBits(pages);
    for (const page of members) bits.add(page);
    return bits;
  }

  has(page: number): boolean {
    return (((this.words[page >>> 5] as number) >>> (page & 31)) & 1) === 1;
  }

  add(page: number): void {
    this.words[page >>> 5] = (this.words[page >>> 5] as number) | (1 << (page & 31));
  }

  delete(page: number): void {
    this.words[page >>> 5] = (this.words[page >>> 5] as number) & ~(1 << (page & 31));
  }

  addAll(pages: Int32Array): void {
    const { words } = this;
    for (let i = 0; i < pages.length; i++) {
      const page = pages[i] as number;
      words[page >>> 5] = (words[page >>> 5] as number) | (1 << (page & 31));
    }
  }

  copy(): PageBits {
    return new PageBits(this.pages, this.words.slice());
  }

  // The operations below change this set.
  and({ words }: PageBits): this {
    for (let i = 0; i < words.length; i++) this.words[i] = (this.words[i] as number) & (words[i] as number);
    return this;
  }

  or({ words }: PageBits): this {
    for (let i = 0; i < words.length; i++) this.words[i] = (this.words[i] as number) | (words[i] as number);
    return this;
  }

  xor({ words }: PageBits): this {
    for (let i = 0; i < words.length; i++) this.words[i] = (this.words[i] as number) ^ (words[i] as number);
    return this;
  }

  without({ words }: PageBits): this {
    for (let i = 0; i < words.length; i++) this.words[i] = (this.words[i] as number) & ~(words[i] as number);
    return this;
  }

  get count(): number {
    const { words } = this;
    let count = 0;
    for (let i = 0; i < words.length; i++) count += bitsIn(words[i] as number);
    return count;
  }

  get isEmpty(): boolean {
    for (const word of this.words) if (word !== 0) return false;
    return true;
  }

  /** The members in ascending order. */
  *[Symbol.iterator](): Generator<number> {
    for (let i = 0; i < this.words.length; i++) {
      for (let word = this.words[i] as number; word !== 0; word &= word - 1) {
        yield 32 * i + 31 - Math.clz32(word & -word);
      }
    }
  }

  toArray(): Int32Array {
    const members = new Int32Array(this.count);
    let at = 0;
    for (let i = 0; i < this.words.length; i++) {
      for (let word = this.words[i] as number; word !== 0; word &= word - 1) {
        members[at++] = 32 * i + 31 - Math.clz32(word & -word);
      }
    }
    return members;
  }
}
