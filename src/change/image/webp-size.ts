/** The size of a WebP picture, from the head of its first chunk (RFC 9649, 2.5 to 2.7). */
import type { PictureSize } from './picture-size.ts';

const CHUNK_AT = 12;
const HEAD_BYTES = 30;

export function webpSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < HEAD_BYTES) return null;
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, CHUNK_AT) !== 'WEBP') return null;
  switch (bytes.toString('latin1', CHUNK_AT, CHUNK_AT + 4)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}
