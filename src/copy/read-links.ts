/**
 * The links of one URL (P6). In: a URL the crawl knows, and how many links are wanted. Out: how many pages link to it and how
 * many URLs it links to, exactly; and of both the first few with what each link looks like, and its anchor text.
 *
 * Anchor texts are not in the store: a crawl would pay for each of millions of links what is asked for a few. They are read
 * from the archived pages when somebody asks, at most one page a link. A page whose bytes are gone has no anchor texts, and one
 * whose file is on another machine says where it is instead.
 */
import { OrbweaverError } from '../core/errors.ts';
import { decodeAttributes, type LinkAttributes } from '../graph/link-attributes.ts';
import type { LinkRecord, Store, UrlRecord } from '../store/contract.ts';
import { AnchorReader } from './anchor-texts.ts';
import type { Where } from './crawl-place.ts';
import { keptOptions } from './data-folder.ts';
import { LATEST_MS, readCopy } from './read-copy.ts';

export interface LinkFacts extends LinkAttributes {
  /** The other end: the page that has the link, or the URL it leads to. */
  readonly url: string;
  readonly title: string;
  /** Null where the page with the link cannot be read any more. */
  readonly anchor: string | null;
  /** Where the page with the link is, and how to get at it, if its file is in none of the folders that were named. */
  readonly elsewhere: string | null;
  /** PageRank of the other end; 0 where it was not computed. */
  readonly rank: number;
}

export interface UrlLinks {
  readonly url: string;
  /** Pages that link to it. */
  readonly backlinks: number;
  /** URLs it links to. */
  readonly forwardLinks: number;
  readonly rank: number;
  /** Where the links to it come from: the highest PageRank first. */
  readonly from: readonly LinkFacts[];
  /** Where its own lead to, in the order in which they became known. */
  readonly to: readonly LinkFacts[];
}

export interface LinksWanted {
  /** Links of either direction; each may take reading a page. */
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
