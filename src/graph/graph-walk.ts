/**
 * Walks a whole link graph once: all segments, page by page.
 *
 * In come segments and the number of known URLs; out go pages with their links, as SegmentReader gives them. What always
 * holds: a page comes once. Where several segments have a list of it, the first one met counts, so that whoever gives the
 * newest segment first has the newest links of each page. Pages that became known after the URLs were counted are left out.
 */
import { SegmentReader } from './segment-reader.ts';

export type OpenSegments = () => Iterable<Uint8Array>;

export class GraphWalk {
  /** The page that `next` came to; its arrays are used again for the next one. */
  readonly reader = new SegmentReader();
  readonly #urls: number;
  readonly #segments: Iterator<Uint8Array>;
  /** One bit a URL. */
  readonly #met: Uint8Array;

  constructor(segments: Iterable<Uint8Array>, urls: number) {
    this.#segments = segments[Symbol.iterator]();
    this.#urls = urls;
    this.#met = new Uint8Array(Math.floor(urls / 8) + 1);
  }

  /** False at the end of the graph. */
  next(): boolean {
    try {
      for (;;) {
        while (this.reader.next()) if (this.#isNew(this.reader.page)) return true;
        const { done, value } = this.#segments.next();
        if (done) return false;
        this.reader.open(value);
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** For who does not walk to the end: lets the source of the segments go. */
  close(): void {
    this.#segments.return?.();
  }

  #isNew(page: number): boolean {
    if (page > this.#urls) return false;
    // Pages are known URLs here, and no array has 2^32 of them.
    const at = page >>> 3;
    const bit = 1 << (page & 7);
    if ((this.#met[at]! & bit) !== 0) return false;
    this.#met[at]! |= bit;
    return true;
  }
}
