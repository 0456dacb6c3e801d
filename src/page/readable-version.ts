/**
 * The text of a document for comparing versions. In: a body and its declared type. Out: the title and, for a document
 * with text, the text: for HTML either the visible text, one line for each block, or the source; for other texts the
 * source.
 */
import { decideReadAs, essenceOf, isText } from './content-kind.ts';
import { decodeBody } from './encoding/charset.ts';
import { parsePage } from './page.ts';

export const VERSION_TEXTS = ['text', 'source'] as const;
/** The readable text of a page, or its markup. */
export type VersionText = (typeof VERSION_TEXTS)[number];

export function readableVersion(
  body: Buffer,
  contentType: string,
  url: string,
  wanted: VersionText = 'text',
): { readonly title: string; readonly text: string | null } {
  const isReadable = wanted === 'text';
  const page = parsePage(body, contentType, url, { wantText: isReadable, wantAnchors: false, maxLinks: 0 });
  const { kind, title } = page;
  // Every block ends its line, including the last one. Otherwise a block added after the last one would change it.
  if (kind === 'html' && isReadable) return { title, text: page.text === '' ? '' : `${page.text}\n` };
  const hasText = kind === 'html' || isText(essenceOf(contentType), body);
  return { title, text: hasText ? sourceText(body, contentType, url) : null };
}

/** The body as text, in the declared or detected charset. */
export function sourceText(body: Buffer, contentType: string, url: string): string {
  const readAs = decideReadAs(body, contentType, url);
  return decodeBody(body, contentType, readAs === 'html' || readAs === 'xml' ? readAs : 'text').text;
}
