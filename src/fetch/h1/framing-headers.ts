/** The values of the headers that say how long a response is and what becomes of the connection. */

/** Longer numbers would not be exact, and nobody has that much to say. */
const MAX_LENGTH_DIGITS = 15;

/** Digits alone (RFC 9110 §8.6); -1 for everything else: signs, lists, spaces between, nothing at all. */
export function readContentLength(value: string): number {
  if (value.length === 0 || value.length > MAX_LENGTH_DIGITS) return -1;
  let length = 0;
  for (let i = 0; i < value.length; i++) {
    const digit = value.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    length = length * 10 + digit;
  }
  return length;
}

/** Whether the outermost coding, the last one named, is chunked. */
export function readTransferCoding(value: string): 'chunked' | 'other' {
  const last = value.slice(value.lastIndexOf(',') + 1);
  return last.trim().toLowerCase() === 'chunked' ? 'chunked' : 'other';
}

/** "close" wins over "keep-alive" (RFC 9112 §9.3); other words change nothing. */
export function readConnectionTokens(value: string, keepAlive: boolean): boolean {
  const lower = value.toLowerCase();
  if (lower === 'keep-alive') return true;
  if (lower === 'close') return false;
  const tokens = lower.split(',').map((token) => token.trim());
  if (tokens.includes('close')) return false;
  return keepAlive || tokens.includes('keep-alive');
}

/** `timeout=5, max=100` → 5,000; -1 when there is no such number. */
export function readKeepAliveMs(value: string): number {
  const found = /(?:^|[,\s])timeout=(\d{1,6})/i.exec(value);
  return found ? Number(found[1]) * 1000 : -1;
}
