/**
 * A cache of the ids of recently found URLs, by host and key. The server takes 5 µs for a look-up,
 * and the pages of a site link to the same pages again and again. An id never changes and a known
 * URL stays known, so an entry is right however old it is.
 *
 * Only URLs whose next find is no news are cached: a URL that was left out for its depth or
 * its topic must be looked up each time. A cached URL cannot become such a URL later, because
 * this is decided when a URL is found for the first time.
 *
 * The size is limited: each URL has one place, and the next URL with that place replaces it.
 */

const PLACES = 2 ** 18;
/** A key has 128 bits. */
const WORDS = 4;
const WORD_DIGITS = 8;

export class UrlIdCache {
  readonly #keys = new Uint32Array(PLACES * WORDS);
  readonly #hosts = new Float64Array(PLACES);
  /** 0 means that the place is free. */
  readonly #ids = new Float64Array(PLACES);

  /** Undefined if the URL is not in the cache. */
  get(hostId: number, key: string): number | undefined {
    const place = placeOf(hostId, key);
    if (this.#ids[place] === 0 || this.#hosts[place] !== hostId) return undefined;
    for (let word = 0; word < WORDS; word++) {
      if (this.#keys[place * WORDS + word] !== wordOf(key, word)) return undefined;
    }
    return this.#ids[place];
  }

  set(hostId: number, key: string, id: number): void {
    const place = placeOf(hostId, key);
    for (let word = 0; word < WORDS; word++) this.#keys[place * WORDS + word] = wordOf(key, word);
    this.#hosts[place] = hostId;
    this.#ids[place] = id;
  }
}

function wordOf(key: string, word: number): number {
  return Number.parseInt(key.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS), 16);
}

/** Keys are already as good as random numbers. */
function placeOf(hostId: number, key: string): number {
  return ((wordOf(key, 0) ^ hostId) >>> 0) % PLACES;
}
