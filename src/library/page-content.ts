/** What a page says, read again from its bytes: the crawl keeps only what it needs itself. */
import type { CrawlOptions } from '../core/options.ts';
import { normalizerFor, resolverFor } from '../crawl/link-forms.ts';
import { type LinkKind, type PageKind, parsePage } from '../page/page.ts';

export interface PageContent {
  readonly kind: PageKind;
  readonly charset: string;
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  /** Visible text, a line for each block. */
  readonly text: string;
  /** All that lead to an http or https URL, in order, followed or not, repeats included. */
  readonly links: readonly PageContentLink[];
}

export interface PageContentLink {
  /** In the normal form of the crawl: as the copy knows it. */
  readonly url: string;
  /** Anchor text, alt or title. */
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
