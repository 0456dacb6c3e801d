/**
 * The links of one URL (P6). In: a URL that the crawl knows, and the number of wanted links. Out: the
 * exact number of pages that link to it and of URLs that it links to; and the first links of both
 * directions, with attributes and anchor text.
 *
 * Anchor texts are not in the store: a crawl would pay for millions of links, and users ask for a few. They are read
 * from the archived pages on request, at most one page for each link. A page whose bytes are lost has no anchor texts.
 * For a page whose file is on another machine, the place of the file is given instead.
 */
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { normalizerFor, resolverFor } from '../crawl/links/link-forms.ts';
import { kindsFollowed, linksParsed } from '../crawl/links/links-wanted.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { keptOptions } from '../crawl/place/data-folder.ts';
import { LATEST_MS, type PageCopy, readCopy } from '../crawl/place/read-archived.ts';
import { isDocument } from '../crawl/unit/documents.ts';
import { headerValue } from '../fetch/outcome.ts';
import { decodeAttributes, type LinkAttributes } from '../graph/link-attributes.ts';
import { essenceOf } from '../page/content-kind.ts';
import { type LinkKind, type PageLink, parsePage } from '../page/page.ts';
import type { LinkRecord, Store, UrlRecord } from '../store/contract.ts';
import type { UrlNormalizer } from '../url/normalize.ts';
import { findSessionId } from '../url/traps/session-id.ts';

export interface LinkFacts extends LinkAttributes {
  /** The other end of the link: the page that has the link, or the URL that it leads to. */
  readonly url: string;
  readonly title: string;
  /** Null if the page with the link cannot be read. */
  readonly anchor: string | null;
  /** Says where the page with the link is and how to reach it, if its file is in none of the named folders. */
  readonly elsewhere: string | null;
  /** PageRank of the other end; 0 if it was not computed. */
  readonly rank: number;
}

export interface UrlLinks {
  readonly url: string;
  /** Number of pages that link to this URL. */
  readonly backlinks: number;
  /** Number of URLs that this URL links to. */
  readonly forwardLinks: number;
  readonly rank: number;
  /** Links to this URL, highest PageRank of the source first. */
  readonly from: readonly LinkFacts[];
  /** Links of this URL, in the order in which the targets were discovered. */
  readonly to: readonly LinkFacts[];
}

export interface LinksWanted {
  /** Number of links in each direction. Each link may require reading a page. */
  readonly from: number;
  readonly to: number;
}

type AnchorFacts = Pick<LinkFacts, 'anchor' | 'elsewhere'>;

const UNREADABLE: AnchorFacts = { anchor: null, elsewhere: null };

type LinkStore = Pick<
  Store,
  'backlinks' | 'linksTo' | 'linksFrom' | 'pageRanks' | 'capturesOf' | 'payloadPlace' | 'archivePlaces' | 'note'
>;

export async function readLinks(
  store: LinkStore,
  where: Where,
  { id, url, outlinks }: UrlRecord,
  wanted: LinksWanted,
): Promise<UrlLinks> {
  const anchors = new AnchorReader(await keptOptions(store));
  const [backlinks] = await store.backlinks([id]);
  const [rank] = await store.pageRanks([id]);
  const sources = wanted.from === 0 ? [] : await store.linksTo(id, wanted.from);
  const targets = wanted.to === 0 ? [] : (await store.linksFrom(id)).slice(0, wanted.to);
  const from: AnchorFacts[] = [];
  for (const source of sources) from.push(...(await anchorsOn(store, where, source.url, [url], anchors)));
  const targetUrls = targets.map((target) => target.url);
  const to = targets.length === 0 ? [] : await anchorsOn(store, where, url, targetUrls, anchors);
  return {
    url,
    backlinks: backlinks!,
    forwardLinks: outlinks,
    rank: rank!,
    from: await factsOf(store, sources, from),
    to: await factsOf(store, targets, to),
  };
}

async function anchorsOn(
  store: LinkStore,
  where: Where,
  pageUrl: string,
  targets: readonly string[],
  anchors: AnchorReader,
): Promise<AnchorFacts[]> {
  try {
    const copy = await readCopy(store, where, pageUrl, LATEST_MS);
    if (copy === null) return targets.map(() => UNREADABLE);
    return anchors.textsOf(copy, pageUrl, targets).map((anchor) => ({ anchor, elsewhere: null }));
  } catch (error) {
    if (!(error instanceof OrbweaverError)) throw error;
    if (error.code === 'ERR_ELSEWHERE') return targets.map(() => ({ anchor: null, elsewhere: error.message }));
    if (error.code === 'ERR_ARCHIVE') return targets.map(() => UNREADABLE);
    throw error;
  }
}

async function factsOf(
  store: LinkStore,
  links: readonly LinkRecord[],
  anchors: readonly AnchorFacts[],
): Promise<LinkFacts[]> {
  const ranks = await store.pageRanks(links.map(({ id }) => id));
  return links.map(({ url, title, attributes }, i) => ({
    url,
    title,
    ...anchors[i]!,
    ...decodeAttributes(attributes),
    rank: ranks[i]!,
  }));
}

/** Reads the texts of a page's links to given URLs: the archived page is parsed again, with the rules of its crawl. */
class AnchorReader {
  readonly #options: CrawlOptions;
  readonly #normalizer: UrlNormalizer;
  readonly #kinds: ReadonlySet<LinkKind>;

  constructor(options: CrawlOptions) {
    this.#options = options;
    this.#normalizer = normalizerFor(options);
    this.#kinds = kindsFollowed(options);
  }

  /** Returns one text for each target: null if the page has no link to the target, '' if its links have no text. */
  textsOf({ capture, body }: PageCopy, pageUrl: string, targets: readonly string[]): (string | null)[] {
    const { maxUrlLength } = this.#options;
    const contentType = headerValue(capture.rawHeaders, 'content-type');
    // The links of a document have no texts.
    if (isDocument(body, essenceOf(contentType))) return targets.map(() => '');
    const wanted = { ...linksParsed(this.#options), wantText: false, wantAnchors: true };
    const page = parsePage(body, contentType, pageUrl, wanted, capture.rawHeaders);
    const resolve = resolverFor(page, pageUrl, this.#normalizer, maxUrlLength);
    const best = new Map<string, PageLink | null>(targets.map((url) => [url, null]));
    for (const link of page.links) {
      if (!this.#counts(link)) continue;
      const url = resolve(link.href);
      if (url === null) continue;
      for (const target of this.#targetsOf(url)) {
        const before = best.get(target);
        if (before !== undefined && isBetter(link, before)) best.set(target, link);
      }
    }
    // The text next to a URL in a sitemap is the time of its change, not the text of a link.
    return targets.map((url) => (page.kind === 'sitemap' && best.get(url) ? '' : (best.get(url)?.text ?? null)));
  }

  #counts({ kind, nofollow }: PageLink): boolean {
    return this.#kinds.has(kind) && (!nofollow || this.#options.ignoreNofollow);
  }

  /** A link with a session id also counts as a link to the page without the session id. */
  #targetsOf(url: string): string[] {
    const session = findSessionId(url);
    const instead = session === null ? null : this.#normalizer.normalize(session.instead);
    return instead === null ? [url] : [url, instead];
  }
}

/** A link with a text wins. Otherwise the more prominent link wins: its attributes are the ones in the store. */
function isBetter(link: PageLink, before: PageLink | null): boolean {
  if (before === null) return true;
  if ((link.text === '') !== (before.text === '')) return link.text !== '';
  return link.visibility * link.position > before.visibility * before.position;
}
