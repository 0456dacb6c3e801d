import { urlKeyHex } from '../url/key.ts';

/** Two patterns of one host that meet share a budget, which takes 2^32 patterns by chance and harms that host alone. */
const PATTERN_KEY_BYTES = 8;

/** In hexadecimal digits. */
export function patternKey(pattern: string): string {
  return urlKeyHex(pattern).slice(0, PATTERN_KEY_BYTES * 2);
}
