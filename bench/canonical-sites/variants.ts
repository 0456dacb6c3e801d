/**
 * Versions of a page that a right canonical link leads away from, made from its words. In: a page with the truth about
 * its blocks. Out: the words of the version. What always holds: the own content of the page is complete in it.
 */
import type { PageWords } from '../../src/core/page/page-words.ts';
import type { TruePage } from '../template-sites/read-truth.ts';

const GREETING_WORDS = 15;
/** Versions of a kind that ends with these words have another title than the page. */
export const OTHER_TITLE = 'with another title';

export const VARIANTS: Readonly<Record<string, (page: TruePage) => PageWords>> = {
  'the same words in other markup': ({ words }) => words,
  'a print version without the template': printed,
  [`a print version ${OTHER_TITLE}`]: printed,
  'a line with a date and a counter added': ({ words }) => withBlock(words, [0x1d872b41, 0x2545f491, 0x369dea0f]),
  'a greeting of 15 words added': ({ words }) =>
    withBlock(
      words,
      Array.from({ length: GREETING_WORDS }, (_, i) => Math.imul(i + 1, 0x9e3779b2)),
    ),
};

function printed({ words, template, own }: TruePage): PageWords {
  return blocksOf(words, (block) => template[block] === 0 || own[block]! > 0);
}

/** The blocks that are wanted. */
function blocksOf(page: PageWords, isWanted: (block: number) => boolean): PageWords {
  const { words, ends, hashes, textWords, linked, isCut } = page;
  const kept = Array.from({ length: page.blocks }, (_, block) => block).filter(isWanted);
  const parts = kept.map((block) => words.subarray(block === 0 ? 0 : ends[block - 1]!, ends[block]!));
  let count = 0;
  const keptEnds = Uint32Array.from(parts, ({ length }) => (count += length));
  const all = new Uint32Array(count);
  parts.forEach((part, i) => {
    all.set(part, i === 0 ? 0 : keptEnds[i - 1]!);
  });
  return {
    words: all,
    count,
    ends: keptEnds,
    hashes: Uint32Array.from(kept, (block) => hashes[block]!),
    textWords: Uint32Array.from(kept, (block) => textWords[block]!),
    linked: Uint8Array.from(kept, (block) => linked[block]!),
    blocks: kept.length,
    isCut,
  };
}

/** The page with one more block before the others. */
function withBlock(page: PageWords, added: readonly number[]): PageWords {
  const { words, count, ends, hashes, textWords, linked, blocks, isCut } = page;
  return {
    words: Uint32Array.of(...added, ...words.subarray(0, count)),
    count: count + added.length,
    ends: Uint32Array.of(added.length, ...ends.subarray(0, blocks).map((end) => end + added.length)),
    hashes: Uint32Array.of(added[0]!, ...hashes.subarray(0, blocks)),
    textWords: Uint32Array.of(added.length, ...textWords.subarray(0, blocks)),
    linked: Uint8Array.of(0, ...linked.subarray(0, blocks)),
    blocks: blocks + 1,
    isCut,
  };
}
