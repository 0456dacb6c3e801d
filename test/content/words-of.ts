/** The words of a text and of a page, as a crawl collects them. */
import type { PageWords } from '../../src/core/page/page-words.ts';
import { parsePage, WordCollector } from '../../src/page/page.ts';

export function wordsOf(text: string | Buffer): Uint32Array {
  const collector = new WordCollector();
  const bytes = Buffer.from(text as string);
  collector.add(bytes, 0, bytes.length);
  collector.endWord();
  return collector.words.subarray(0, collector.count);
}

const collector = new WordCollector();

/** The words of an HTML page. Valid until the next call. */
export function pageOf(html: string): PageWords {
  const options = { wantText: false, wantAnchors: false, maxLinks: 1_000, words: collector };
  parsePage(Buffer.from(html), 'text/html; charset=utf-8', 'http://pages.test/', options);
  return collector;
}
