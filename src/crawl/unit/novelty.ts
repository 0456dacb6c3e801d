/**
 * How much of a page is new to its host: bytes of text between tags that no earlier page of the host had, without
 * digits. A calendar shows only other numbers, and a list of filters only other combinations of the same items.
 *
 * Memory is bounded: a host has at most MAX_BLOCKS blocks, and a unit remembers at most MAX_HOSTS hosts. What is
 * forgotten counts as new once more.
 */
import { putNewest } from '../../core/bounded-map.ts';
import { hostOf } from '../../url/host.ts';

const MAX_HOSTS = 64;
const MAX_BLOCKS = 100_000;
/** Only the beginning of a large page is read. */
const MAX_BYTES = 256 * 1024;
const [LESS, GREATER, ZERO, NINE, SPACE] = [0x3c, 0x3e, 0x30, 0x39, 0x20];
/** Their content is no text. Both begin with an s, which rules out most tags quickly. */
const HIDDEN = ['script', 'style'] as const;

export class ShownBlocks {
  readonly #hosts = new Map<string, Set<number>>();

  /** Notes the blocks of a page, and returns the bytes of those that are new. */
  noveltyOf(url: string, html: Buffer): number {
    const host = hostOf(url);
    const shown = this.#hosts.get(host) ?? new Set<number>();
    putNewest(this.#hosts, host, shown, MAX_HOSTS);
    if (shown.size > MAX_BLOCKS) shown.clear();
    const end = Math.min(html.length, MAX_BYTES);
    let novelty = 0;
    for (let at = 0; at < end; ) {
      const tag = html.indexOf(LESS, at);
      const textEnd = tag === -1 || tag > end ? end : tag;
      novelty += addBlock(shown, html, at, textEnd);
      at = textEnd < end ? afterTag(html, textEnd) : end;
    }
    return novelty;
  }
}

/** The bytes of the text if it is new; 0 if it is known or empty. */
function addBlock(shown: Set<number>, html: Buffer, from: number, to: number): number {
  let hash = 0x811c9dc5;
  let bytes = 0;
  for (let at = from; at < to; at++) {
    const byte = html[at]!;
    if (byte <= SPACE || (byte >= ZERO && byte <= NINE)) continue;
    hash = Math.imul(hash ^ byte, 0x01000193);
    bytes++;
  }
  if (bytes === 0 || shown.has(hash)) return 0;
  shown.add(hash);
  return bytes;
}

function afterTag(html: Buffer, at: number): number {
  const close = html.indexOf(GREATER, at);
  if (close === -1) return html.length;
  if ((html[at + 1]! | 0x20) !== 0x73) return close + 1;
  for (const name of HIDDEN) {
    if (html.toString('latin1', at + 1, at + 1 + name.length).toLowerCase() !== name) continue;
    const end = html.indexOf(`</${name}`, close);
    return end === -1 ? html.length : end;
  }
  return close + 1;
}
