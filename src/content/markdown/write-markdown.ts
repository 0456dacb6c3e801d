/**
 * Writes a page as GitHub-flavoured Markdown. In: the tree of a page, the nodes to keep, and the URL of the page. Out:
 * Markdown, or '' if nothing is shown.
 *
 * What always holds: linear time, no recursion over the depth of the page, no exception, at most 20 million characters.
 * A longer text ends with an ellipsis.
 */
import { PageLinks } from '../elements/page-links.ts';
import { readNodes } from '../elements/page-nodes.ts';
import type { PageTree } from '../page-tree.ts';
import { MarkdownForm } from './markdown-form.ts';
import { PageWriter } from './page-writer.ts';

export interface MarkdownOptions {
  /**
   * Gives the target to write for an absolute URL (with its fragment) of a link or image: for example the path of an
   * exported file. Null or undefined keeps the URL.
   */
  readonly linkOf?: (url: string) => string | null | undefined;
}

/**
 * `kept` has one entry for each node; 1 keeps a text, image, formula or rule. Elements around kept nodes are always
 * written. Null keeps everything.
 */
export function writeMarkdown(
  tree: PageTree,
  kept: Uint8Array | null,
  baseUrl: string,
  options: MarkdownOptions = {},
): string {
  const page = readNodes(tree, kept);
  const links = new PageLinks(baseUrl, page.baseHref);
  return new PageWriter(page, new MarkdownForm(links, options.linkOf ?? (() => null))).writePage();
}
