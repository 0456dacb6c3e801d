/** Makes a test for the lines of a page that are template of its host. In: the learned template, and the page. */
import { templateTest } from '../../content/main/template-lines.ts';
import type { Template } from '../../content/template/template.ts';
import { BlockCollector, parsePage } from '../../page/page.ts';

export interface PageBytes {
  readonly url: string;
  readonly body: Buffer;
  readonly contentType: string;
}

/** One serves for all pages, because it has a memory of seven megabytes. */
let blocks: BlockCollector | null = null;

export function templateLinesOf(template: Template, { url, body, contentType }: PageBytes): (line: string) => boolean {
  blocks ??= new BlockCollector();
  parsePage(body, contentType, url, { wantText: false, wantAnchors: false, maxLinks: 0, words: blocks });
  return templateTest(blocks.texts, template.judge(url, blocks).marks);
}
