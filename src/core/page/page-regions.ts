/**
 * Sums and hashes of the regions of a page, by which a visit can tell what has changed without the earlier version. The
 * scan of a crawl computes them with the words of the page (page/html/text/word-kernel.wat), and the store keeps them.
 *
 * `content`, `beside` and `template` are sums over the words of the content, of navigation and title, and of those
 * blocks of the content that are template of the host. A sum does not depend on the order. `targets` is a sum over the
 * targets of links. `unsure` is a sum over everything that the rules of noise may alter: texts, targets, words whose
 * ends are not known, and the surroundings of advertisements. `exact` is a hash of all bytes except for scripts and
 * comments.
 *
 * What always holds: all sums are modulo 2^64. If two versions have the same `unsure`, other words or targets are other
 * content, whatever noise is removed.
 */
export interface PageRegions {
  readonly content: bigint;
  readonly beside: bigint;
  readonly template: bigint;
  readonly targets: bigint;
  readonly unsure: bigint;
  readonly exact: bigint;
  /** The bytes of the page were converted to another charset, so different bytes may have the same `exact`. */
  readonly isConverted: boolean;
}

/** Regions of another version are not compared. */
const VERSION = 3;
const CONVERTED = 0x80;
/** The order of the sums, as the kernel writes them. */
const SUMS = ['content', 'beside', 'template', 'targets', 'unsure', 'exact'] as const;
export const SUM_BYTES = SUMS.length * 8;
export const REGION_BYTES = 1 + SUM_BYTES;

/** The form in the store. `sums` has `SUM_BYTES`. */
export function encodeRegions(sums: Uint8Array, isConverted: boolean): Uint8Array {
  const bytes = new Uint8Array(REGION_BYTES);
  bytes[0] = VERSION | (isConverted ? CONVERTED : 0);
  bytes.set(sums, 1);
  return bytes;
}

/** Null if there are none, or if another version of Orbweaver wrote them. */
export function decodeRegions(bytes: Uint8Array | null): PageRegions | null {
  if (bytes === null || bytes.length !== REGION_BYTES) return null;
  const flags = bytes[0] as number;
  if ((flags & ~CONVERTED) !== VERSION) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sumAt = (index: number): bigint => view.getBigUint64(1 + 8 * index, true);
  return {
    content: sumAt(0),
    beside: sumAt(1),
    template: sumAt(2),
    targets: sumAt(3),
    unsure: sumAt(4),
    exact: sumAt(5),
    isConverted: (flags & CONVERTED) !== 0,
  };
}

/**
 * The fingerprint of an edit (core/page/change-class.ts): what was removed and added, not where. If words differ, only
 * they count, so that targets with other line numbers do not make another edit. Null if words and targets are the same,
 * or only stand in another order.
 */
export function editOf(
  was: Pick<PageRegions, 'content' | 'beside' | 'targets'>,
  is: Pick<PageRegions, 'content' | 'beside' | 'targets'>,
): string | null {
  const words = BigInt.asUintN(64, is.content + is.beside - was.content - was.beside);
  const targets = BigInt.asUintN(64, is.targets - was.targets);
  if (words === 0n && targets === 0n) return null;
  const sum = words === 0n ? ~targets : words;
  const mixed = BigInt.asUintN(64, (sum ^ (sum >> 31n)) * 0x9e3779b97f4a7c15n);
  const edit = BigInt.asUintN(64, (mixed ^ (mixed >> 32n)) * 0xbf58476d1ce4e5b9n);
  return (edit ^ (edit >> 29n)).toString(16).padStart(16, '0');
}
