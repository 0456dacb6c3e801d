/**
 * Reads a segment page by page. This is the hot loop of PageRank and of counting backlinks.
 *
 * In: the bytes of a segment. Out: one page at a time, its id and its links in two arrays. The arrays are reused for
 * the next page, so that nothing is allocated per link or page.
 *
 * What always holds: every step goes forward. Bytes that are not a segment cause an error (we wrote them), but never a
 * read beyond the end or unlimited memory.
 */
import { NumberReader } from './base-128.ts';
import { ATTRIBUTE_CODES } from './link-attributes.ts';
import { damagedLinks, MAX_ID, MAX_LINK_VALUE } from './link-list.ts';
import { sortIds } from './sorted-ids.ts';

/** While values are at most this large, adding a difference of four bytes keeps them within 31 bits. */
const SMALL_VALUES = 2 ** 31 - 2 ** 28;

/** Written in place of the page id of a list that is no longer valid. */
export const STRUCK = 0;

export class SegmentReader {
  /** The page that `next` reached. */
  page = 0;
  /** How many entries of `targets` and `attributes` belong to this page. */
  count = 0;
  /** Ids in ascending order. */
  targets = new Float64Array(256);
  /** Attribute codes, parallel to the ids. */
  attributes = new Uint8Array(256);
  /** The start of the page and the start of its link list. The link list ends at `at`. */
  pageStart = 0;
  listStart = 0;
  /** Bytes of struck lists that were skipped so far (deleted-lists.ts). */
  struckBytes = 0;

  #numbers = new NumberReader(new Uint8Array(0));

  open(segment: Uint8Array): void {
    this.#numbers = new NumberReader(segment);
    this.struckBytes = 0;
  }

  /** The position in the segment. */
  get at(): number {
    return this.#numbers.at;
  }

  /** Returns false at the end of the segment. */
  next(): boolean {
    if (!this.#nextPage()) return false;
    this.#readList();
    return true;
  }

  /** Goes to the next of these pages. The lists in between are skipped without decoding, in a tenth of the time. */
  nextOf(pages: ReadonlySet<number>): boolean {
    while (this.#nextPage()) {
      if (pages.has(this.page)) {
        this.#readList();
        return true;
      }
      this.#pass(this.count);
    }
    return false;
  }

  /** Passes the next list without decoding it. Returns false at the end of the segment. */
  pass(): boolean {
    if (!this.#nextPage()) return false;
    this.#pass(this.count);
    return true;
  }

  /** Goes to the start of the list of the next page that is not struck. */
  #nextPage(): boolean {
    const numbers = this.#numbers;
    while (numbers.left > 0) {
      this.pageStart = numbers.at;
      this.page = numbers.next();
      this.count = numbers.next();
      // A link has at least one byte. A larger count is damage, and must be refused before memory is allocated for it.
      if (this.page < 0 || this.page > MAX_ID || this.count < 0 || this.count > numbers.left)
        throw damagedLinks(numbers.at);
      this.listStart = numbers.at;
      if (this.page !== STRUCK) return true;
      this.#pass(this.count);
      this.struckBytes += numbers.at - this.pageStart;
    }
    return false;
  }

  #readList(): void {
    if (this.count > this.targets.length) this.#makeRoom(this.count);
    this.#readLinks(this.count);
    if (this.count > 0 && this.targets[0]! < 1) throw damagedLinks(this.#numbers.at);
  }

  /** Skips numbers. A number ends at a byte without the high bit, so four bytes are checked at a time. */
  #pass(count: number): void {
    const { bytes, view } = this.#numbers;
    const lastStart = bytes.length - 4;
    let at = this.#numbers.at;
    let left = count;
    while (left >= 4 && at <= lastStart) {
      const ends = ~view.getInt32(at, true) & 0x80808080;
      left -= Math.imul(ends >>> 7, 0x01010101) >>> 24;
      at += 4;
    }
    while (left > 0 && at < bytes.length) if (bytes[at++]! < 128) left--;
    if (left > 0) throw damagedLinks(at);
    this.#numbers.at = at;
  }

  /**
   * Decodes nearly all links: differences of up to four bytes, values below 2^31. `#readLargeLinks`
   * decodes the rest. The lengths are random, so a branch on them is often mispredicted. Reading four
   * bytes at once and computing the length takes half the time.
   */
  #readLinks(count: number): void {
    const { view } = this.#numbers;
    const lastStart = view.byteLength - 4;
    const targets = this.targets;
    const attributes = this.attributes;
    let at = this.#numbers.at;
    let value = 0;
    for (let i = 0; i < count; i++) {
      const word = at <= lastStart && value <= SMALL_VALUES ? view.getInt32(at, true) : -1;
      // The high bits that are not set. The lowest of them is the end of the number.
      const ends = ~word & 0x80808080;
      if (ends === 0) {
        this.#numbers.at = at;
        this.#readLargeLinks(i, count, value);
        return;
      }
      const end = ends & -ends;
      const digits = word & (end - 1);
      at += (39 - Math.clz32(end)) >> 3;
      value += (digits & 0x7f) | ((digits >>> 1) & 0x3f80) | ((digits >>> 2) & 0x1fc000) | ((digits >>> 3) & 0xfe00000);
      const target = (value / ATTRIBUTE_CODES) | 0;
      targets[i] = target;
      attributes[i] = value - target * ATTRIBUTE_CODES;
    }
    this.#numbers.at = at;
  }

  /**
   * Decodes values beyond 31 bits, and the last few bytes of a segment, where
   * four bytes cannot be read without a check.
   */
  #readLargeLinks(from: number, count: number, before: number): void {
    let value = before;
    for (let i = from; i < count; i++) {
      const difference = this.#numbers.next();
      value += difference;
      if (difference < 0 || value > MAX_LINK_VALUE) throw damagedLinks(this.#numbers.at);
      const target = Math.floor(value / ATTRIBUTE_CODES);
      this.targets[i] = target;
      this.attributes[i] = value - target * ATTRIBUTE_CODES;
    }
  }

  #makeRoom(count: number): void {
    const capacity = Math.max(count, this.targets.length * 2);
    this.targets = new Float64Array(capacity);
    this.attributes = new Uint8Array(capacity);
  }
}

/** Queries on segments of the link graph: all targets, the links of one page, the pages that link to a URL. */
const FIRST_CAPACITY = 65_536;

/** The other end of a link from a page or to a URL, and the attribute code of the link. */
export interface LinkEnd {
  readonly id: number;
  readonly attributes: number;
}

const reader = new SegmentReader();

/** All targets of these segments, in ascending order. */
export function targetsOf(segments: readonly Uint8Array[]): Float64Array {
  let targets = new Float64Array(FIRST_CAPACITY);
  let length = 0;
  for (const segment of segments) {
    reader.open(segment);
    while (reader.next()) {
      if (length + reader.count > targets.length) {
        const larger = new Float64Array(2 * (length + reader.count));
        larger.set(targets);
        targets = larger;
      }
      targets.set(reader.targets.subarray(0, reader.count), length);
      length += reader.count;
    }
  }
  return sortIds(targets.subarray(0, length));
}

/** Adds the pages of a segment that link to a URL. */
export function addLinksTo(segment: Uint8Array, id: number, found: LinkEnd[]): void {
  reader.open(segment);
  while (reader.next()) {
    const at = reader.targets.subarray(0, reader.count).indexOf(id);
    if (at >= 0) found.push({ id: reader.page, attributes: reader.attributes[at] as number });
  }
}

/** Like addLinksTo, for several URLs. `found` has a separate list for each URL. */
export function addLinksToAny(segment: Uint8Array, ids: ReadonlySet<number>, found: Map<number, LinkEnd[]>): void {
  reader.open(segment);
  while (reader.next()) {
    for (let i = 0; i < reader.count; i++) {
      const target = reader.targets[i]!;
      if (!ids.has(target)) continue;
      const ends = found.get(target) ?? [];
      ends.push({ id: reader.page, attributes: reader.attributes[i]! });
      found.set(target, ends);
    }
  }
}

/** The links of a page, or null if the segment has no list for it. */
export function linksOf(segment: Uint8Array, page: number): LinkEnd[] | null {
  reader.open(segment);
  while (reader.next()) {
    if (reader.page !== page) continue;
    return Array.from({ length: reader.count }, (_, i) => ({
      id: reader.targets[i] as number,
      attributes: reader.attributes[i] as number,
    }));
  }
  return null;
}
