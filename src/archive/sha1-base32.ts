import { createHash, hash } from 'node:crypto';

/**
 * SHA-1 in base 32 with its name as a prefix: the common form in WARC files, CDX indexes and their tools.
 * It detects damaged bytes and finds equal payloads. A site can create two of its own payloads with the
 * same digest, but this only falsifies the copy of that site. To imitate a payload of another site it
 * would need a second preimage, which nobody can compute.
 */
export const DIGEST_PREFIX = 'sha1:';
export const BASE32_CHARS = 32;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
// Two characters per step: 16 look-ups per digest instead of 32.
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, n) => ALPHABET[n >> 5]! + ALPHABET[n & 31]!);

/** The 32 characters, without the prefix. */
export function sha1Base32(pieces: readonly Uint8Array[]): string {
  // A string with one character per byte takes a quarter of the time of a buffer.
  if (pieces.length === 1) return base32(hash('sha1', pieces[0]!, 'binary'));
  const hasher = createHash('sha1');
  for (const piece of pieces) hasher.update(piece);
  return base32(hasher.digest('binary'));
}

/** In: 20 characters, one for each byte. */
function base32(sha1: string): string {
  const byte = (at: number): number => sha1.charCodeAt(at);
  let text = '';
  // 20 bytes are four groups of 40 bits. Each group is four pairs of five-bit characters.
  for (let at = 0; at < 20; at += 5) {
    const high = (byte(at) << 12) | (byte(at + 1) << 4) | (byte(at + 2) >> 4);
    const low = ((byte(at + 2) & 15) << 16) | (byte(at + 3) << 8) | byte(at + 4);
    text += PAIRS[high >> 10]! + PAIRS[high & 1023]! + PAIRS[low >> 10]! + PAIRS[low & 1023]!;
  }
  return text;
}
