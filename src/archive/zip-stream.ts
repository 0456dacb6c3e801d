/**
 * Writes a ZIP file as a stream. In: entries with their size and checksum. Out: the bytes of the file, in order.
 *
 * What always holds: entries are stored without compression, so that readers can read a part of an entry in place.
 * Sizes are written before the content, so a reader needs no data descriptors. Files and entries of any size work
 * (ZIP64). Equal entries give equal bytes. Memory is one chunk, and a few bytes for each entry.
 *
 * The format is that of PKWARE's APPNOTE 6.3; its sections are named below.
 */
import { crc32 } from 'node:zlib';
import { OrbweaverError } from '../core/errors.ts';

export interface ZipEntry {
  /** A path of ASCII characters, with slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly crc: number;
  readonly content: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** The largest value of a field with four bytes. The value itself means: see the ZIP64 field. */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
/** Unix, and version 4.5 of the format, which has ZIP64 (4.4.2, 4.4.3). */
const VERSION = 45;
const MADE_BY = (3 << 8) | VERSION;
const FILE_MODE = 0o100644 << 16;

interface WrittenEntry extends Omit<ZipEntry, 'content'> {
  readonly offset: number;
}

export class ZipStream {
  readonly #time: Buffer;
  readonly #max32: number;
  readonly #written: WrittenEntry[] = [];
  #offset = 0;

  /** `timeMs` is the time of all entries. `max32` is lower only in tests. */
  constructor(timeMs: number, max32 = MAX_32) {
    this.#time = dosTime(timeMs);
    this.#max32 = max32;
  }

  /** The local header (4.3.7) and the content of an entry. */
  async *entry({ name, bytes, crc, content }: ZipEntry): AsyncGenerator<Buffer> {
    this.#written.push({ name, bytes, crc, offset: this.#offset });
    const isLarge = bytes >= this.#max32;
    const extra = isLarge ? zip64Extra([bytes, bytes]) : NOTHING;
    const size = uint32(isLarge ? MAX_32 : bytes);
    const lengths = [uint16(name.length), uint16(extra.length)];
    const head = [uint32(0x04034b50), uint16(VERSION), uint16(0), uint16(0), this.#time, uint32(crc), size, size];
    yield this.#count(Buffer.concat([...head, ...lengths, Buffer.from(name, 'latin1'), extra]));
    let [given, sum] = [0, 0];
    for await (const chunk of content) {
      given += chunk.length;
      sum = crc32(chunk, sum);
      yield this.#count(chunk);
    }
    if (given !== bytes || sum !== crc) throw new OrbweaverError('ERR_ARCHIVE', `${name} changed while it was copied`);
  }

  /** The central directory (4.3.12) and its end (4.3.14 to 4.3.16). */
  *end(): Generator<Buffer> {
    const start = this.#offset;
    for (const entry of this.#written) yield this.#count(this.#directoryEntry(entry));
    const [count, bytes] = [this.#written.length, this.#offset - start];
    if (count >= MAX_16 || bytes >= this.#max32 || start >= this.#max32) {
      const recordOffset = this.#offset;
      const numbers = [count, count, bytes, start].map(uint64);
      const versions = [uint16(MADE_BY), uint16(VERSION), uint32(0), uint32(0)];
      yield this.#count(Buffer.concat([uint32(0x06064b50), uint64(44), ...versions, ...numbers]));
      yield this.#count(Buffer.concat([uint32(0x07064b50), uint32(0), uint64(recordOffset), uint32(1)]));
    }
    const counts = [count, count].map((n) => uint16(Math.min(n, MAX_16)));
    const places = [bytes, start].map((n) => uint32(n >= this.#max32 ? MAX_32 : n));
    yield this.#count(Buffer.concat([uint32(0x06054b50), uint16(0), uint16(0), ...counts, ...places, uint16(0)]));
  }

  #directoryEntry({ name, bytes, crc, offset }: WrittenEntry): Buffer {
    const [isLarge, isFar] = [bytes >= this.#max32, offset >= this.#max32];
    const extra = zip64Extra([...(isLarge ? [bytes, bytes] : []), ...(isFar ? [offset] : [])]);
    const size = uint32(isLarge ? MAX_32 : bytes);
    return Buffer.concat([
      ...[uint32(0x02014b50), uint16(MADE_BY), uint16(VERSION), uint16(0), uint16(0), this.#time],
      ...[uint32(crc), size, size, uint16(name.length), uint16(extra.length), uint16(0), uint16(0), uint16(0)],
      ...[uint32(FILE_MODE), uint32(isFar ? MAX_32 : offset), Buffer.from(name, 'latin1'), extra],
    ]);
  }

  #count(chunk: Buffer): Buffer {
    this.#offset += chunk.length;
    return chunk;
  }
}

const NOTHING = Buffer.alloc(0);

/** The field with the numbers that need eight bytes (4.5.3). */
function zip64Extra(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return NOTHING;
  return Buffer.concat([uint16(1), uint16(8 * numbers.length), ...numbers.map(uint64)]);
}

/** Time and date in UTC, in steps of two seconds (4.4.6). The format begins in 1980. */
function dosTime(timeMs: number): Buffer {
  const time = new Date(Math.max(timeMs, Date.UTC(1980, 0, 1)));
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  const day = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  return Buffer.concat([uint16(clock), uint16(day)]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
