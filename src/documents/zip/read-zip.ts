/**
 * Reads the ZIP files in which office documents and books are stored. In: the bytes. Out: the entries by name, inflated
 * when asked for. Only the central directory is trusted for positions, and nothing in it is trusted for sizes: every
 * inflation has a limit of its own, and all of them together have one too, so a ZIP bomb ends with a reason.
 */
import { inflateRawSync } from 'node:zlib';
import { LIMITS, UnreadableDocument } from '../document-content.ts';

interface ZipEntry {
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly compressedBytes: number;
  readonly headerAt: number;
}

// Signatures and sizes of the records (APPNOTE 4.3.7, 4.3.12, 4.3.16).
const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_HEADER = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const LOCAL_BYTES = 30;
const DIRECTORY_BYTES = 46;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const STORED = 0;
const DEFLATED = 8;

export class ZipFile {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, ZipEntry>();
  #inflatedBytes = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const end = findDirectoryEnd(bytes);
    if (end < 0) throw new UnreadableDocument('damaged');
    const count = bytes.readUInt16LE(end + 10);
    if (count > LIMITS.zipEntries) throw new UnreadableDocument('too-large');
    let at = bytes.readUInt32LE(end + 16);
    for (let index = 0; index < count; index++) {
      // A damaged directory keeps the entries before the damage.
      if (at + DIRECTORY_BYTES > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_HEADER) break;
      const nameBytes = bytes.readUInt16LE(at + 28);
      const name = bytes.toString('utf8', at + DIRECTORY_BYTES, at + DIRECTORY_BYTES + nameBytes);
      this.#entries.set(name, {
        isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        method: bytes.readUInt16LE(at + 10),
        compressedBytes: bytes.readUInt32LE(at + 20),
        headerAt: bytes.readUInt32LE(at + 42),
      });
      at += DIRECTORY_BYTES + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The text of an entry, or null if there is no such entry. */
  text(name: string): string | null {
    const bytes = this.#read(name);
    if (bytes === null) return null;
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
    return new TextDecoder().decode(bytes);
  }

  #read(name: string): Buffer | null {
    const entry = this.#entries.get(name);
    if (entry === undefined) return null;
    if (entry.isEncrypted) throw new UnreadableDocument('encrypted');
    const { headerAt, compressedBytes } = entry;
    const bytes = this.#bytes;
    if (headerAt + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(headerAt) !== LOCAL_HEADER) {
      throw new UnreadableDocument('damaged');
    }
    const from = headerAt + LOCAL_BYTES + bytes.readUInt16LE(headerAt + 26) + bytes.readUInt16LE(headerAt + 28);
    const data = bytes.subarray(from, from + compressedBytes);
    if (data.length < compressedBytes) throw new UnreadableDocument('damaged');
    const inflated = this.#inflate(entry.method, data);
    this.#inflatedBytes += inflated.length;
    return inflated;
  }

  #inflate(method: number, data: Buffer): Buffer {
    const room = Math.min(LIMITS.zipEntryBytes, LIMITS.zipBytes - this.#inflatedBytes);
    const byRatio = Math.max(LIMITS.zipRatioFromBytes, data.length * LIMITS.zipRatio);
    const maxOutputLength = Math.min(room, byRatio);
    if (maxOutputLength <= 0 || (method === STORED && data.length > maxOutputLength)) {
      throw new UnreadableDocument('too-large');
    }
    if (method === STORED) return data;
    if (method !== DEFLATED) throw new UnreadableDocument('damaged');
    try {
      return inflateRawSync(data, { maxOutputLength });
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      throw new UnreadableDocument(isTooLarge ? 'too-large' : 'damaged');
    }
  }
}

export function isZip(bytes: Buffer): boolean {
  return bytes.length >= END_BYTES && bytes.readUInt32LE(0) === LOCAL_HEADER;
}

function findDirectoryEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= first; at--) {
    if (bytes.readUInt32LE(at) === DIRECTORY_END) return at;
  }
  return -1;
}
