/**
 * The archived and committed payloads of all units and of earlier runs, in memory that all threads of a
 * crawl share. Only one thread, the controller, writes to it, after each commit. The units look payloads
 * up. Only committed payloads may be in it: after a crash, a revisit record that refers to an
 * uncommitted record of another unit would lead nowhere.
 *
 * Records are in a ring buffer, where the newest record overwrites the oldest. A hash table by digest gives the place
 * of a record. A record is locked while it is written or read. No thread ever waits: a locked record counts as unknown
 * for the moment, and the payload is archived again, which does no harm.
 */
import { BASE32_CHARS } from './sha1-base32.ts';

export interface ArchivedPayload {
  readonly url: string;
  readonly fetchedAtMs: number;
  readonly file: string;
  readonly offset: number;
}

const RECORDS = 65_536;
const RECORD_BYTES = 384;
const TABLE_SLOTS = 4 * RECORDS;
/** A record that is not in its own slot of the table is in one of the following slots. */
const SLOTS_TRIED = 4;
const RING_START = 4 * TABLE_SLOTS;

// The fields of a record: lock, length of the text, fetch time, offset, digest, then file and URL separated by a space.
const TEXT_LENGTH = 4;
const FETCHED_AT = 8;
const OFFSET = 16;
const DIGEST = 24;
const TEXT = DIGEST + BASE32_CHARS;
const MAX_TEXT_BYTES = RECORD_BYTES - TEXT;

/** 26 MB. The system allocates only the part that has been written. */
export const SHARED_PAYLOAD_BYTES = RING_START + RECORDS * RECORD_BYTES;
export const MOST_SHARED_PAYLOADS = RECORDS;

export class SharedPayloads {
  readonly #table: Int32Array;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #bytes: Buffer;
  #next = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#table = new Int32Array(memory, 0, TABLE_SLOTS);
    this.#words = new Int32Array(memory);
    this.#numbers = new Float64Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** `digest` is in base 32, without its prefix. A payload whose URL is too long for a record is not stored. */
  remember(digest: string, { url, fetchedAtMs, file, offset }: ArchivedPayload): void {
    const text = `${file} ${url}`;
    const textBytes = Buffer.byteLength(text);
    if (digest.length !== BASE32_CHARS || textBytes > MAX_TEXT_BYTES) return;
    const record = this.#next;
    this.#next = (record + 1) % RECORDS;
    const start = RING_START + record * RECORD_BYTES;
    if (!this.#lock(start)) return;
    this.#words[(start + TEXT_LENGTH) / 4] = textBytes;
    this.#numbers[(start + FETCHED_AT) / 8] = fetchedAtMs;
    this.#numbers[(start + OFFSET) / 8] = offset;
    this.#bytes.write(digest, start + DIGEST, 'latin1');
    this.#bytes.write(text, start + TEXT, 'utf8');
    this.#unlock(start);
    Atomics.store(this.#table, this.#slotFor(digest), record + 1);
  }

  find(digest: string): ArchivedPayload | null {
    const first = firstSlot(digest);
    for (let slot = first; slot < first + SLOTS_TRIED; slot++) {
      const record = Atomics.load(this.#table, slot) - 1;
      if (record < 0) return null;
      const found = this.#read(RING_START + record * RECORD_BYTES, digest);
      if (found !== null) return found;
    }
    return null;
  }

  #read(start: number, digest: string): ArchivedPayload | null {
    if (!this.#lock(start)) return null;
    try {
      if (this.#bytes.toString('latin1', start + DIGEST, start + TEXT) !== digest) return null;
      const textEnd = start + TEXT + (this.#words[(start + TEXT_LENGTH) / 4] as number);
      const [file = '', url = ''] = this.#bytes.toString('utf8', start + TEXT, textEnd).split(' ', 2);
      const fetchedAtMs = this.#numbers[(start + FETCHED_AT) / 8] as number;
      return { url, fetchedAtMs, file, offset: this.#numbers[(start + OFFSET) / 8] as number };
    } finally {
      this.#unlock(start);
    }
  }

  /** The first free slot or, if none is free, the digest's own slot. */
  #slotFor(digest: string): number {
    const first = firstSlot(digest);
    for (let slot = first; slot < first + SLOTS_TRIED; slot++) if (this.#table[slot] === 0) return slot;
    return first;
  }

  #lock(start: number): boolean {
    return Atomics.compareExchange(this.#words, start / 4, 0, 1) === 0;
  }

  #unlock(start: number): void {
    Atomics.store(this.#words, start / 4, 0);
  }
}

/** Digests are evenly distributed, so no hash function is needed: five characters are 25 bits. */
function firstSlot(digest: string): number {
  let bits = 0;
  for (let i = 0; i < 5; i++) bits = (bits << 5) | (digest.charCodeAt(i) & 31);
  return bits % (TABLE_SLOTS - SLOTS_TRIED);
}

/** The first place where a payload was archived. */
interface KnownPayload extends ArchivedPayload {
  readonly bytes: number;
}

/**
 * The payloads that a writer wrote itself and that may not be committed yet. The least recently used ones are dropped
 * first, and there are never more than `capacity`. There are two generations: when the young one is full, it becomes
 * the old one, and the previous old one is dropped. A Map as an exact LRU cache must step over every deleted entry to
 * find its first one. At this size that costs more than writing the page.
 */
export class KnownPayloads {
  readonly #generationSize: number;
  #young = new Map<string, KnownPayload>();
  #old = new Map<string, KnownPayload>();

  constructor(capacity: number) {
    this.#generationSize = Math.floor(capacity / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  find(digest: string, bytes: number): KnownPayload | null {
    let known = this.#young.get(digest);
    if (known === undefined) {
      known = this.#old.get(digest);
      if (known === undefined) return null;
      this.#old.delete(digest);
      this.remember(digest, known);
    }
    return known.bytes === bytes ? known : null;
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  remember(digest: string, payload: KnownPayload): void {
    if (this.#generationSize === 0) return;
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(digest, payload);
  }
}
