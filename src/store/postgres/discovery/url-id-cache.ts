/**
 * The ids of URLs met lately, by host and key. The server takes 5 µs to look one up, and pages of a site link to the same pages over
 * and over. An id never changes and a known URL stays known, so what is found here is right however old it is.
 *
 * Only URLs are kept of which a further find is no news: one that was left out for its depth or its topic has to be looked up each
 * time. It cannot become such a one later, because that is decided when a URL is found for the first time.
 *
 * Bounded: each has one place, and the next that wants it takes it.
 */

const PLACES = 2 ** 18;
/** A key is 128 bits. */
const WORDS = 4;
const WORD_DIGITS = 8;

export class KnownIds {
  readonly #keys = new Uint32Array(PLACES * WORDS);
  readonly #hosts = new Float64Array(PLACES);
  /** 0: the place is free. */
  readonly #ids = new Float64Array(PLACES);

  /** Undefined where it is not at hand. */
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

/** Keys are as good as chance already. */
function placeOf(hostId: number, key: string): number {
  return ((wordOf(key, 0) ^ hostId) >>> 0) % PLACES;
}
