/**
 * Shows which part of an archived page is the template of its host. In: a URL of the copy. Out: the blocks of its
 * newest content, judged by the template that the crawl has learned; null if the copy has no text for the URL.
 */
import { Template } from '../content/template/template.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { isContent, LATEST_MS, readCopy } from '../crawl/place/read-archived.ts';
import { headerValue } from '../fetch/outcome.ts';
import { BlockCollector, parsePage } from '../page/page.ts';
import type { Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import type { UrlFacts } from './url-facts.ts';

/** Longer lists of template blocks tell people nothing more. */
const MAX_EXAMPLES = 12;

export interface PageTemplate {
  readonly words: number;
  readonly templateWords: number;
  readonly blocks: number;
  readonly templateBlocks: number;
  /** The first blocks that are template. */
  readonly examples: readonly string[];
}

async function readPageTemplate(store: Store, where: Where, url: string): Promise<PageTemplate | null> {
  const [counts, copy] = await Promise.all([store.template(hostOf(url)), readCopy(store, where, url, LATEST_MS)]);
  if (copy === null || !isContent(copy.record)) return null;
  const blocks = new BlockCollector();
  const type = headerValue(copy.capture.rawHeaders, 'content-type');
  parsePage(copy.body, type, url, { wantText: false, wantAnchors: false, maxLinks: 0, words: blocks });
  if (blocks.count === 0) return null;
  const { marks } = (counts === null ? new Template() : Template.decode(counts)).judge(url, blocks);
  const isTemplate = (block: number): boolean => marks[block] === 1;
  const all = blocks.texts.map((text, block) => ({ text, block, words: wordsOf(blocks, block) }));
  const shared = all.filter(({ block }) => isTemplate(block));
  return {
    words: blocks.count,
    templateWords: shared.reduce((sum, { words }) => sum + words, 0),
    blocks: all.length,
    templateBlocks: shared.length,
    examples: shared.slice(0, MAX_EXAMPLES).map(({ text }) => text),
  };
}

/** Null also if the archive cannot be read here: it may be on another machine, or damaged. */
export async function templateOf(store: Store, where: Where, { record }: UrlFacts): Promise<PageTemplate | null> {
  if (record === null || record.digest === '') return null;
  try {
    return await readPageTemplate(store, where, record.url);
  } catch (error) {
    if (error instanceof OrbweaverError) return null;
    throw error;
  }
}

function wordsOf({ ends }: BlockCollector, block: number): number {
  return (ends[block] as number) - (block === 0 ? 0 : (ends[block - 1] as number));
}
