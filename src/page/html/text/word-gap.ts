/** Tells which characters stand between words. The kernel that forms words has the same rule (word-kernel.wat). */

/** Returns false for an ASCII character that ends a word: white space, punctuation or a sign. */
export function isInWord(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 97 && lower <= 122) || (byte >= 48 && byte <= 57) || byte >= 0x80;
}

/**
 * Returns true if the decoded reference is one character that ends a word. False is always right too: the kernel looks
 * at the character itself then.
 */
export function isGap(decoded: Uint8Array): boolean {
  const first = decoded[0] as number;
  if (decoded.length === 1) return !isInWord(first);
  // U+00A0–00BF: no-break space, soft hyphen, « » and other signs.
  if (decoded.length === 2) return first === 0xc2;
  // U+2000–2BFF: dashes, quotes, arrows and boxes.
  return decoded.length === 3 && first === 0xe2 && (decoded[1] as number) < 0xb0;
}
