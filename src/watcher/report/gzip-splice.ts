/**
 * Puts a small text in front of a gzipped body, as one gzip member and without copying the body. Many
 * readers of one report share its bytes, while each reader gets its own head. (Two members in sequence would
 * be simpler, but some clients read only the first.) The text is a stored block of deflate (RFC 1951,
 * 3.2.4); the checksums are combined by arithmetic.
 */

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const MAX_STORED_BYTES = 65_535;
const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** The parts to send, in order. `gzipped` is one member as zlib makes it, without name or comment. */
export function spliceBefore(text: Buffer, gzipped: Buffer): readonly Buffer[] {
  if (text.length > MAX_STORED_BYTES) throw new RangeError(`a head of ${text.length} bytes`);
  const start = Buffer.alloc(HEADER_BYTES + 5);
  gzipped.copy(start, 0, 0, HEADER_BYTES);
  start.writeUInt16LE(text.length, HEADER_BYTES + 1);
  start.writeUInt16LE(~text.length & 0xffff, HEADER_BYTES + 3);
  const end = gzipped.length - TRAILER_BYTES;
  const bodyBytes = gzipped.readUInt32LE(end + 4);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(combineCrc32(crc32(text), gzipped.readUInt32LE(end), bodyBytes), 0);
  trailer.writeUInt32LE((text.length + bodyBytes) >>> 0, 4);
  return [Buffer.concat([start, text]), gzipped.subarray(HEADER_BYTES, end), trailer];
}

/**
 * The checksum of two texts in sequence. The first checksum is advanced by as many zero
 * bytes as the second text has bytes.
 */
export function combineCrc32(first: number, second: number, secondBytes: number): number {
  let moved = first;
  // The operator appends one zero byte. Squaring it n times gives 2ⁿ zero bytes.
  let operator = Array.from({ length: 32 }, (_, bit) => appendZeroByte((1 << bit) >>> 0));
  for (let left = secondBytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) moved = apply(operator, moved);
    const once = operator;
    operator = once.map((column) => apply(once, column));
  }
  return (moved ^ second) >>> 0;
}

function appendZeroByte(crc: number): number {
  return (TABLE[crc & 0xff]! ^ (crc >>> 8)) >>> 0;
}

function apply(operator: readonly number[], vector: number): number {
  let sum = 0;
  for (let bit = 0; bit < 32; bit++) if ((vector >>> bit) & 1) sum ^= operator[bit]!;
  return sum >>> 0;
}
