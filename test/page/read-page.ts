import { type LinkKind, type ParsedPage, parsePage } from '../../src/page/page.ts';

/** Parses a document given as text, as a browser would get it in UTF-8. */
export function readPage(html: string, wantText = false, maxLinks = 100_000): ParsedPage {
  return parsePage(Buffer.from(html), 'text/html; charset=utf-8', 'http://site.test/', { wantText, maxLinks });
}

/** The hrefs of a document, of one kind or of all kinds. */
export function hrefs(html: string, kind?: LinkKind): string[] {
  return readPage(html)
    .links.filter((link) => kind === undefined || link.kind === kind)
    .map((link) => link.href);
}
