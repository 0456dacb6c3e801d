/** The texts of a page's links to given URLs: the page is parsed once more, and its links are read by the rules of its crawl. */
import type { CrawlOptions } from '../core/options.ts';
import { headerValue } from '../fetch/outcome.ts';
import { DOCUMENT_LINK_KINDS, type LinkKind, type PageLink, parsePage } from '../page/page.ts';
import type { UrlNormalizer } from '../url/normalize.ts';
import { findSessionId } from '../url/traps/session-id.ts';
import { normalizerFor, resolverFor } from './link-forms.ts';
import type { PageCopy } from './read-copy.ts';

export class AnchorReader {
  readonly #options: CrawlOptions;
  readonly #normalizer: UrlNormalizer;
  readonly #kinds: ReadonlySet<LinkKind> | null;

  constructor(options: CrawlOptions) {
    this.#options = options;
    this.#normalizer = normalizerFor(options);
    this.#kinds = options.assets ? null : new Set(DOCUMENT_LINK_KINDS);
  }

  /** For each target; null where the page has no link to it, '' where its links have no text. */
  textsOf({ capture, body }: PageCopy, pageUrl: string, targets: readonly string[]): (string | null)[] {
    const { maxLinks, maxUrlLength } = this.#options;
    const contentType = headerValue(capture.rawHeaders, 'content-type');
    const page = parsePage(body, contentType, pageUrl, { wantText: false, wantAnchors: true, maxLinks });
    const resolve = resolverFor(page, pageUrl, this.#normalizer, maxUrlLength);
    const best = new Map<string, PageLink | null>(targets.map((url) => [url, null]));
    for (const link of page.links) {
      if (!this.#counts(link)) continue;
      const url = resolve(link.href);
      if (url === null) continue;
      for (const target of this.#meant(url)) {
        const before = best.get(target);
        if (before !== undefined && isBetter(link, before)) best.set(target, link);
      }
    }
    // What stands beside a sitemap's URL is when it changed, which is no text of a link.
    return targets.map((url) => (page.kind === 'sitemap' && best.get(url) ? '' : (best.get(url)?.text ?? null)));
  }

  #counts({ kind, nofollow }: PageLink): boolean {
    return (this.#kinds === null || this.#kinds.has(kind)) && (!nofollow || this.#options.ignoreNofollow);
  }

  /** A link with a session id is a link to the page without it, too. */
  #meant(url: string): string[] {
    const session = findSessionId(url);
    const instead = session === null ? null : this.#normalizer.normalize(session.instead);
    return instead === null ? [url] : [url, instead];
  }
}

/** One with a text, then the one that stands out most: its attributes are the ones in the store. */
function isBetter(link: PageLink, before: PageLink | null): boolean {
  if (before === null) return true;
  if ((link.text === '') !== (before.text === '')) return link.text !== '';
  return link.visibility * link.position > before.visibility * before.position;
}
