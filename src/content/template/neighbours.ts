/**
 * Finds blocks that are navigation by the blocks around them. In: the words of a page, the marks of its blocks so
 * far, and which blocks the host has shown on several pages. Out: more marks. No block loses its mark.
 */
import type { PageWords } from '../../core/page/page-words.ts';

/** How many blocks before and after a block are looked at, and how many words are few. */
const REACH = 4;
const FEW_WORDS = 4;
/** A known link needs this much support. A template block around it counts once, and link text counts twice. */
const LEAST_SUPPORT = 2;

/**
 * Marks links of menus that only some pages have. A block of link text that the host has shown on several pages is
 * template if blocks around it are. Without template around it, it is a link of the content, or an entry of an index.
 * Beyond the edge of the page, everything counts as template.
 */
export function markKnownLinks({ blocks, linked }: PageWords, marks: Uint8Array, known: Uint8Array): void {
  for (let block = 0; block < blocks; block++) {
    if (marks[block] === 1 || known[block] === 0 || linked[block] === 0) continue;
    const begin = Math.max(0, block - REACH);
    const end = Math.min(blocks - 1, block + REACH);
    let support = 2 * REACH - (end - begin);
    for (let at = begin; at <= end; at++) {
      support += (marks[at] as number) * (1 + (linked[at] as number));
    }
    if (support >= LEAST_SUPPORT) marks[block] = 1;
  }
}

/**
 * Marks navigation that few pages share: a block of link text, or of a few known words, is template if most of the
 * blocks before it and after it are.
 */
export function markBetween({ blocks, linked, ends }: PageWords, marks: Uint8Array, known: Uint8Array): void {
  for (let block = 1; block < blocks - 1; block++) {
    if (marks[block] === 1) continue;
    const words = (ends[block] as number) - (ends[block - 1] as number);
    if (linked[block] === 0 && (words > FEW_WORDS || known[block] === 0)) continue;
    let before = 0;
    let after = 0;
    for (let at = Math.max(0, block - REACH); at < block; at++) before += marks[at] as number;
    for (let at = Math.min(blocks - 1, block + REACH); at > block; at--) after += marks[at] as number;
    const least = linked[block] === 1 ? REACH / 2 : REACH - 1;
    if (before >= least && after >= least) marks[block] = 1;
  }
}
