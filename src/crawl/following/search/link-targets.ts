/**
 * Finds the ids of the URLs that the links of pages lead to. In: links as written. Out: the links with the ids of their
 * targets, without links to unknown URLs, which are outside the scope of the crawl.
 *
 * The links of some pages are looked up together. Pages of a site link to each other again and again, so most ids are
 * in a cache (KnownUrls), and the rest is one question for each host.
 */
import type { CrawlOptions } from '../../../core/options/options.ts';
import type { ParsedPage, TextLink } from '../../../page/page.ts';
import type { SearchLink } from '../../../search/search-page.ts';
import type { Store } from '../../../store/contract.ts';
import { hostOf } from '../../../url/host.ts';
import { urlKeyHex } from '../../../url/key.ts';
import type { UrlNormalizer } from '../../../url/normalize.ts';
import { KnownUrls } from '../../links/known-urls.ts';
import { normalizerFor, resolverFor } from '../../links/link-forms.ts';

export type LinkOptions = Pick<CrawlOptions, 'sortQuery' | 'dropTracking' | 'keepFragment' | 'maxUrlLength'>;

/** A link with its target as a URL. */
export interface ResolvedLink {
  readonly url: string;
  readonly text: string;
}

const MAX_HOSTS = 10_000;

export class LinkTargets {
  readonly #store: Pick<Store, 'host' | 'knownPages'>;
  readonly #normalizer: UrlNormalizer;
  readonly #maxUrlLength: number;
  readonly #known = new KnownUrls();
  #hostIds = new Map<string, number>();

  constructor(store: Pick<Store, 'host' | 'knownPages'>, options: LinkOptions) {
    this.#store = store;
    this.#normalizer = normalizerFor(options);
    this.#maxUrlLength = options.maxUrlLength;
  }

  /** Each target once, with its first text. A link within the page, or marked `nofollow`, describes no other page. */
  resolve(page: ParsedPage, pageUrl: string, links: readonly TextLink[]): readonly ResolvedLink[] {
    if (links.length === 0) return NO_LINKS;
    const resolve = resolverFor(page, pageUrl, this.#normalizer, this.#maxUrlLength);
    const found = new Map<string, ResolvedLink>();
    for (const { href, isNofollow, text } of links) {
      if (isNofollow || href.startsWith('#')) continue;
      const url = resolve(href);
      if (url === null || url === pageUrl || url.length > this.#maxUrlLength || found.has(url)) continue;
      found.set(url, { url, text });
    }
    return [...found.values()];
  }

  /** The ids of the targets of all these links. */
  async find(links: Iterable<ResolvedLink>): Promise<ReadonlyMap<string, number>> {
    const ids = new Map<string, number>();
    const unknown = new Set<string>();
    for (const { url } of links) {
      const id = this.#known.get(url);
      if (id === undefined) unknown.add(url);
      else ids.set(url, id);
    }
    for (const [host, urls] of Map.groupBy(unknown, hostOf)) {
      const hostId = await this.#hostId(host);
      if (hostId === null) continue;
      const pages = await this.#store.knownPages(hostId, urls.map(urlKeyHex));
      for (const [i, page] of pages.entries()) {
        if (page === null) continue;
        this.#known.set(urls[i]!, page.id);
        ids.set(urls[i]!, page.id);
      }
    }
    return ids;
  }

  async #hostId(host: string): Promise<number | null> {
    const known = this.#hostIds.get(host);
    if (known !== undefined) return known;
    const id = (await this.#store.host(host))?.id ?? null;
    if (id === null) return null;
    if (this.#hostIds.size >= MAX_HOSTS) this.#hostIds = new Map();
    this.#hostIds.set(host, id);
    return id;
  }
}

const NO_LINKS: readonly ResolvedLink[] = [];

export function withIds(links: readonly ResolvedLink[], ids: ReadonlyMap<string, number>): SearchLink[] {
  return links.flatMap(({ url, text }) => {
    const targetId = ids.get(url);
    return targetId === undefined ? [] : [{ targetId, text }];
  });
}
