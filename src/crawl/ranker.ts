/**
 * The place of each waiting URL in its host's queue (W11's link sorter): given when it is found, and given anew when what the
 * order follows has grown enough to matter — back-links that doubled, a score that rose by a fifth. What grew is gathered
 * and written every so many pages, so a URL moves up within a bounded number of fetches, and nothing is sorted.
 */
import type { Order, WaitingUrl } from '../frontier/order.ts';
import type { ScoreBook } from '../frontier/score-book.ts';
import { SiblingLinks } from '../frontier/sibling-links.ts';
import { LINK_WEIGHTS } from '../graph/link-attributes.ts';
import { attributeCodeOf, targetOf } from '../graph/link-list.ts';
import { SegmentReader } from '../graph/segment-reader.ts';
import type { CommitBatch, CommitReceipt, FoundUrl, NewRank, Store, UrlResult } from '../store/contract.ts';

/** Pages between two looks at what has grown. */
const PAGES_BETWEEN = 256;
const SEGMENTS_AT_ONCE = 16;
/** A URL that has just been found is linked from the page it was found on. */
const FIRST_BACKLINK = 1;

type Unranked = { -readonly [K in keyof FoundUrl]: FoundUrl[K] };

export class Ranker {
  readonly order: Order;
  readonly book: ScoreBook | null;
  readonly #store: Store;
  readonly #siblings = new SiblingLinks();
  #pages: number;
  #known: number;
  #pagesSinceLook = 0;
  /** What each page of the batch under way passes on to a link of weight 1. */
  #shares: readonly number[] = [];

  constructor(order: Order, store: Store, pages: number, known: number) {
    this.order = order;
    this.#store = store;
    this.#pages = pages;
    this.#known = known;
    this.book = order.book?.() ?? null;
  }

  /** Ranks a URL that no page has been seen to link to: a seed, a sitemap. */
  rank(found: FoundUrl, score = this.book?.start ?? 0): void {
    (found as Unranked).rank = this.order.rank({
      ...this.#factsOf(found.url, found.depth, found.relevance),
      foundAt: this.#known,
      backlinks: FIRST_BACKLINK,
      score,
    });
  }

  /** Before a commit: ranks what its pages have found. */
  beforeCommit({ results, found }: CommitBatch): void {
    const passed = new Map<FoundUrl, number>();
    this.#shares = results.map((result) => {
      if (!result.page) return 0;
      this.#siblings.fetched(result.url, result.knownLinks.length + result.foundLinks.length);
      return this.book === null ? 0 : passOn(result, this.book, passed);
    });
    const ranked = new Set<FoundUrl>();
    const rank = (found: FoundUrl | null | undefined): void => {
      if (!found || ranked.has(found)) return;
      ranked.add(found);
      this.rank(found, (this.book?.start ?? 0) + (passed.get(found) ?? 0));
    };
    for (const { foundLinks, redirectTo, page } of results) {
      foundLinks.forEach(rank);
      rank(redirectTo);
      rank(page?.canonical);
    }
    for (const link of found) rank(link);
  }

  /** After it, the ids of what was found are known. */
  afterCommit(results: readonly UrlResult[], receipt: CommitReceipt): void {
    this.#known += receipt.discovered;
    for (const [i, result] of results.entries()) {
      const state = receipt.states[i];
      if (state === 'fetched' || state === 'duplicate') {
        this.#pages++;
        this.#pagesSinceLook++;
      }
      if (this.book !== null && state !== 'waiting') this.book.isOver(result.id);
    }
    if (this.book !== null) this.#credit(results, receipt.linkIds, this.book);
  }

  #credit(results: readonly UrlResult[], linkIds: CommitReceipt['linkIds'], book: ScoreBook): void {
    const before = book.known;
    for (const [i, { foundAttributes }] of results.entries()) {
      for (const [j, id] of linkIds[i]!.entries()) {
        book.open(id);
        book.receive(id, this.#shares[i]! * LINK_WEIGHTS[foundAttributes[j]!]!);
      }
    }
    for (let id = before + 1; id <= book.known; id++) book.wasRanked(id);
  }

  /** The URLs that have to move; asked after each commit, it mostly knows of none yet. */
  async newRanks(): Promise<readonly NewRank[]> {
    if (this.order.follows === undefined || this.#pagesSinceLook < PAGES_BETWEEN) return [];
    this.#pagesSinceLook = 0;
    return this.order.follows === 'backlinks' ? this.#byBacklinks() : this.#byScore();
  }

  async #byBacklinks(): Promise<readonly NewRank[]> {
    const grown = await this.#store.countLinks();
    return grown.map(({ id, url, depth, relevance, backlinks }) => ({
      id,
      rank: this.order.rank({ ...this.#factsOf(url, depth, relevance), foundAt: id, backlinks, score: 0 }),
    }));
  }

  async #byScore(): Promise<readonly NewRank[]> {
    const book = this.book!;
    const grown = await this.#store.waiting(book.takeGrown());
    return grown.map(({ id, url, depth, relevance }) => {
      book.wasRanked(id);
      const facts = this.#factsOf(url, depth, relevance);
      return {
        id,
        rank: this.order.rank({ ...facts, foundAt: id, backlinks: book.backlinks(id), score: book.score(id) }),
      };
    });
  }

  #factsOf(url: string, depth: number, relevance: number | null): Omit<WaitingUrl, 'foundAt' | 'backlinks' | 'score'> {
    return {
      url,
      depth,
      relevance: relevance ?? 0,
      forwardLinks: this.#siblings.expected(url),
      pages: this.#pages,
    };
  }

  /** When a crawl goes on: what the pages of the stored graph passed on to each other, in the order of their commit. */
  async rebuild(): Promise<void> {
    const { book } = this;
    if (book === null) return;
    await this.#store.countLinks();
    const reader = new SegmentReader();
    for (let after = 0; ; ) {
      const segments = await this.#store.segments(after, SEGMENTS_AT_ONCE);
      if (segments.length === 0) break;
      for (const { lists } of segments) {
        reader.open(lists);
        while (reader.next()) replay(reader, book);
      }
      after = segments.at(-1)!.seq;
    }
    book.open(this.#known);
    book.allRanked();
  }
}

/** A page passes on what it has to give: at once to the URLs with an id, to the others when they have one. */
function passOn(result: UrlResult, book: ScoreBook, passed: Map<FoundUrl, number>): number {
  const { id, knownLinks, foundLinks, foundAttributes } = result;
  let total = 0;
  for (const value of knownLinks) total += LINK_WEIGHTS[attributeCodeOf(value)]!;
  for (const code of foundAttributes) total += LINK_WEIGHTS[code]!;
  book.open(id);
  const share = total === 0 ? 0 : book.handOut(id) / total;
  for (const value of knownLinks) {
    book.open(targetOf(value));
    book.receive(targetOf(value), share * LINK_WEIGHTS[attributeCodeOf(value)]!);
  }
  for (const [i, link] of foundLinks.entries()) {
    passed.set(link, (passed.get(link) ?? 0) + share * LINK_WEIGHTS[foundAttributes[i]!]!);
  }
  return share;
}

function replay({ page, count, targets, attributes }: SegmentReader, book: ScoreBook): void {
  let total = 0;
  for (let i = 0; i < count; i++) total += LINK_WEIGHTS[attributes[i]!]!;
  book.open(page);
  const share = total === 0 ? 0 : book.handOut(page) / total;
  for (let i = 0; i < count; i++) {
    book.open(targets[i]!);
    book.receive(targets[i]!, share * LINK_WEIGHTS[attributes[i]!]!);
  }
  book.isOver(page);
}
