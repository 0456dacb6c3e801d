/** The words of a text and of a page, as a crawl collects them. */
import type { PageWords } from '../../src/core/page/page-words.ts';
import { parsePage, WordCollector } from '../../src/page/page.ts';

const collector = new WordCollector();

export function wordsOf(text: string | Buffer): Uint32Array {
  collector.clear();
  const bytes = Buffer.from(text as string);
  collector.open(bytes);
  collector.add(0, bytes.length);
  collector.finish();
  return collector.words.slice(0, collector.count);
}

/** The words of an HTML page. Valid until the next call. */
export function pageOf(html: string): PageWords {
  const options = { wantText: false, wantAnchors: false, maxLinks: 1_000, words: collector };
  parsePage(Buffer.from(html), 'text/html; charset=utf-8', 'http://pages.test/', options);
  return collector;
}

/** The word counts of a page with this text. */
export function countsOf(text: string): Uint8Array {
  pageOf(`<p>${text}</p>`);
  return collector.counts.slice();
}
