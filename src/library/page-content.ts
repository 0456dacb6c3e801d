/**
 * The content of a response as a program sees it, read again from its bytes. It is the same content that `show` and
 * `export` print: they share the reader (copy/content-reader.ts).
 */
import type { PageFacts } from '../content/facts/page-facts.ts';
import type { PageBlock } from '../content/main/label-blocks.ts';
import type { StructuredData } from '../content/structured/structured-data.ts';
import type { PageTable } from '../content/tables/read-tables.ts';
import { normalizerFor, resolverFor } from '../crawl/links/link-forms.ts';
import type { PageCopy } from '../crawl/place/read-archived.ts';
import { headerValue } from '../fetch/outcome.ts';
import { type LinkKind, type PageKind, parsePage } from '../page/page.ts';
import type { CopyPlace } from './copy-place.ts';

export type { PageFacts } from '../content/facts/page-facts.ts';
export type { PageBlock } from '../content/main/label-blocks.ts';
export type { BlockRole } from '../content/main/roles.ts';
export type { StructuredData } from '../content/structured/structured-data.ts';
export type { StructuredItem, StructuredValue } from '../content/structured/structured-item.ts';
export type { PageTable } from '../content/tables/read-tables.ts';

/** The content of a page, parsed again from its bytes. The crawl itself stores only the facts that it needs. */
export interface PageContent {
  readonly kind: PageKind;
  readonly charset: string;
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  /** The visible text, one line per block. */
  readonly text: string;
  /** All links to http or https URLs, in order, followed or not, including repeated links. */
  readonly links: readonly PageContentLink[];
  /** The main content as plain text: without navigation, advertisements and the like. '' if the page has no text. */
  readonly mainText: string;
  /** The main content as Markdown, with absolute links. */
  readonly markdown: string;
  /** The data tables of the main content of an HTML page. */
  readonly tables: readonly PageTable[];
  /** All blocks of text of an HTML page with their roles. */
  readonly blocks: readonly PageBlock[];
  /** What a page or document states about itself: title, authors, times, description … Null without text. */
  readonly facts: PageFacts | null;
  /** JSON-LD, microdata, RDFa, OpenGraph and other structured data of an HTML page, in one shape. */
  readonly structured: StructuredData | null;
}

export interface PageContentLink {
  /** The URL in the normal form of the crawl, as the copy stores it. */
  readonly url: string;
  /** The anchor text, alt text or title. */
  readonly text: string;
  readonly kind: LinkKind;
  readonly nofollow: boolean;
}

export async function contentOf(url: string, { body, capture }: PageCopy, place: CopyPlace): Promise<PageContent> {
  const { options } = place;
  const contentType = headerValue(capture.rawHeaders, 'content-type');
  const read = await (await place.contentReader()).read({ url, body, contentType });
  const main = 'reason' in read ? null : read;
  const page = parsePage(body, contentType, url, { wantText: true, wantAnchors: true, maxLinks: options.maxLinks });
  const { kind, charset, title, description, language, headings, text } = page;
  const resolve = resolverFor(page, url, normalizerFor(options), options.maxUrlLength);
  const links = page.links.flatMap((link) => {
    const to = resolve(link.href);
    return to === null ? [] : [{ url: to, text: link.text, kind: link.kind, nofollow: link.nofollow }];
  });
  // Markdown and structured data take longer than the rest, so they are made when they are asked for.
  return {
    ...{ kind, charset, title, description, language, headings, text, links },
    get mainText() {
      return main?.text() ?? '';
    },
    get markdown() {
      return main?.markdown() ?? '';
    },
    get tables() {
      return main?.page?.tables().tables ?? [];
    },
    get blocks() {
      return main?.page?.main.blocks() ?? [];
    },
    get facts() {
      return main?.facts() ?? null;
    },
    get structured() {
      return main?.page?.structured() ?? null;
    },
  };
}
