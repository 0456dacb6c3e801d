/** The content of a page, parsed again from its bytes. The crawl itself stores only the facts that it needs. */
import type { CrawlOptions } from '../core/options/options.ts';
import { normalizerFor, resolverFor } from '../crawl/links/link-forms.ts';
import { type LinkKind, type PageKind, parsePage } from '../page/page.ts';

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
}

export interface PageContentLink {
  /** The URL in the normal form of the crawl, as the copy stores it. */
  readonly url: string;
  /** The anchor text, alt text or title. */
  readonly text: string;
  readonly kind: LinkKind;
  readonly nofollow: boolean;
}

export function readContent(body: Buffer, contentType: string, url: string, options: CrawlOptions): PageContent {
  const page = parsePage(body, contentType, url, { wantText: true, wantAnchors: true, maxLinks: options.maxLinks });
  const { kind, charset, title, description, language, headings, text } = page;
  const resolve = resolverFor(page, url, normalizerFor(options), options.maxUrlLength);
  const links = page.links.flatMap((link) => {
    const to = resolve(link.href);
    return to === null ? [] : [{ url: to, text: link.text, kind: link.kind, nofollow: link.nofollow }];
  });
  return { kind, charset, title, description, language, headings, text, links };
}
