/**
 * The payloads that are archived and committed, of all units and of earlier runs: memory that all threads of a crawl share.
 * One thread writes, the controller, after each commit; the units look payloads up. Only what is committed may be in it: a
 * revisit that led to another unit's uncommitted record would lead nowhere after a crash.
 *
 * Records are in a ring, the oldest written over by the newest; beside it is a table by digest that says where to look. A
 * record is locked while it is written or read. Nobody ever waits: one that is locked is not known for the moment, and
 * then the payload is archived once more, which is no harm.
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
/** A record that is not in its own slot of the table is in one of the next. */
const SLOTS_TRIED = 4;
const RING_START = 4 * TABLE_SLOTS;

// A record: lock, length of the text, fetched at, offset, digest, then file and URL with a space between them.
const TEXT_LENGTH = 4;
const FETCHED_AT = 8;
const OFFSET = 16;
const DIGEST = 24;
const TEXT = DIGEST + BASE32_CHARS;
const MAX_TEXT_BYTES = RECORD_BYTES - TEXT;

/** 26 MB, of which the system gives only what has been written to. */
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

  /** `digest` in base 32, without its prefix. A URL that is too long for a record is not remembered. */
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

  /** The first free one, or its own. */
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

/** The digest is spread evenly by itself: five characters are 25 bits. */
function firstSlot(digest: string): number {
  let bits = 0;
  for (let i = 0; i < 5; i++) bits = (bits << 5) | (digest.charCodeAt(i) & 31);
  return bits % (TABLE_SLOTS - SLOTS_TRIED);
}
