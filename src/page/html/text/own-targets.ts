/**
 * Finds the part of a link target that says where it leads on the page's own host, so that the regions of a page sum
 * `http://example.com/a`, `https://example.com/a`, `//example.com/a` and `/a` alike. In: the URL of the page, and a
 * target as written. Out: the number of bytes to leave out, and whether the target has other forms that are not known
 * here.
 *
 * What always holds: targets are told apart whenever the comparison of versions tells them apart
 * (change/level/own-address.ts), or they are unsure.
 */
const SLASH = 47;
const HASH = 35;
const QUESTION = 63;
const COLON = 58;
const MAX_SCHEME_BYTES = 16;

/** The target is relative to the page, or has nothing behind the host. */
export const OTHER_FORM = -1;

export class OwnTargets {
  readonly #starts: readonly Buffer[];

  constructor(url: string) {
    const page = URL.parse(url);
    const isWeb = page !== null && /^https?:$/.test(page.protocol);
    const origins = !isWeb ? [] : page.port === '' ? [`http://${page.host}`, `https://${page.host}`] : [page.origin];
    this.#starts = isWeb ? [...origins, `//${page.host}`].map((start) => Buffer.from(start)) : [];
  }

  /** The number of bytes to leave out at the beginning, or OTHER_FORM. */
  leftOut(bytes: Buffer, from: number, to: number): number {
    const [first, second] = [bytes[from], bytes[from + 1]];
    if (this.#starts.length === 0 || first === HASH || first === QUESTION) return 0;
    if (first === SLASH && second !== SLASH) return 0;
    for (const start of this.#starts) {
      if (!beginsWith(bytes, from, to, start)) continue;
      const end = from + start.length;
      if (bytes[end] === SLASH && end < to) return start.length;
      if (end === to || bytes[end] === QUESTION || bytes[end] === HASH) return OTHER_FORM;
    }
    return first === SLASH || hasScheme(bytes, from, to) ? 0 : OTHER_FORM;
  }
}

function beginsWith(bytes: Buffer, from: number, to: number, start: Buffer): boolean {
  if (to - from < start.length) return false;
  for (let at = 0; at < start.length; at++) {
    const byte = bytes[from + at] as number;
    const isUpper = byte >= 65 && byte <= 90;
    if ((isUpper ? byte | 0x20 : byte) !== start[at]) return false;
  }
  return true;
}

function hasScheme(bytes: Buffer, from: number, to: number): boolean {
  const end = Math.min(to, from + MAX_SCHEME_BYTES);
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === COLON) return at > from;
    if (byte === SLASH || byte === HASH || byte === QUESTION) return false;
  }
  return false;
}
