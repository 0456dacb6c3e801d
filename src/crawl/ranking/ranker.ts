/**
 * Ranks each waiting URL in the queue of its host (W11's link sorter): when it is found, and again when the
 * values that the order follows have grown enough to matter (back-links that doubled, a score that rose by
 * a fifth). Changes are collected and written every 4 to 256 pages, so a URL moves up within a bounded
 * number of fetches, and nothing is sorted.
 */
import { OrbweaverError } from '../../core/errors.ts';
import type { Order, WaitingUrl } from '../../frontier/order.ts';
import { NOTHING, type Portion, type ScoreBook } from '../../frontier/score-book.ts';
import { SiblingLinks } from '../../frontier/sibling-links.ts';
import { LINK_WEIGHTS } from '../../graph/link-attributes.ts';
import { attributeCodeOf, targetOf } from '../../graph/link-list.ts';
import { SegmentReader } from '../../graph/segment-reader.ts';
import type {
  CommitBatch,
  CommitReceipt,
  FoundUrl,
  GraphStore,
  GrownUrl,
  NewRank,
  RankingStore,
  UrlResult,
  WaitingRecord,
} from '../../store/contract.ts';

/** Pages between two updates of the ranks. Fewer while the copy is small, when each page matters more. */
const PAGES_BETWEEN = 256;
const LEAST_BETWEEN = 4;
/** While the copy is small, one page in this many is between two updates, or is out at once. */
const ONE_IN = 16;
/**
 * URLs of one host that are out at once. An order can no longer move them, so there are few while the copy is small:
 * with a hundred URLs out, a site of a thousand pages would be a tenth fetched before the order has any effect.
 */
const LEAST_OUT = 8;
/** Waiting URLs that each update ranks again, if the order drifts: four for each page fetched since the last update. */
const DRIFTERS = 4 * PAGES_BETWEEN;
const RANKED_AT_ONCE = 1_000;
const SEGMENTS_AT_ONCE = 16;
/** A URL that was just found is linked from the page it was found on. */
const FIRST_BACKLINK = 1;

type Unranked = { -readonly [K in keyof FoundUrl]: FoundUrl[K] };

export class Ranker {
  readonly order: Order;
  readonly book: ScoreBook | null;
  readonly #store: GraphStore & RankingStore;
  readonly #siblings = new SiblingLinks();
  #pages: number;
  #known: number;
  #pagesSinceRanking = 0;
  #uncountedLinks = 0;
  #turnedTo = 0;
  /** Waiting URLs whose back-links have doubled and that were not ranked again yet. */
  #grown: GrownUrl[] = [];
  /** The best topic relevance that pages promised for known URLs since the last update, by id. */
  #promised = new Map<number, number>();
  /** The portion that each result of the current batch passes on. */
  #portions: readonly Portion[] = [];

  constructor(order: Order, store: GraphStore & RankingStore, pages: number, known: number) {
    this.order = order;
    this.#store = store;
    this.#pages = pages;
    this.#known = known;
    this.book = order.book?.() ?? null;
  }

  /** The number of URLs that the crawl knows; no id is larger. */
  get known(): number {
    return this.#known;
  }

  get pages(): number {
    return this.#pages;
  }

  /** The number of URLs of one host that may be out at once. */
  get mostOut(): number {
    if (this.order.follows === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(LEAST_OUT, Math.floor(this.#pages / ONE_IN));
  }

  /** Raises the number of known URLs to at least this value. */
  knows(urls: number): void {
    this.#known = Math.max(this.#known, urls);
    this.book?.open(this.#known);
  }

  /** The seeds are known under these ids. */
  seeded(ids: readonly number[]): void {
    for (const id of ids) if (id > this.#known) this.#known = id;
    this.book?.open(this.#known);
  }

  /** Ranks a URL that was just found, with the portion passed to it. A seed or a sitemap gets no portion. */
  rank(found: FoundUrl, passed: Portion = NOTHING): void {
    const score = this.book?.firstScore(passed) ?? 0;
    const facts = this.#factsOf(found, { foundAt: this.#known, backlinks: FIRST_BACKLINK, score });
    (found as Unranked).rank = this.#rankOf(facts);
  }

  /** Called before a commit: ranks the URLs that its pages found. */
  beforeCommit({ results, found }: CommitBatch): void {
    const passed = new Map<FoundUrl, Portion>();
    this.#portions = results.map((result) => {
      if (result.page) this.#siblings.fetched(result.url, result.knownLinks.length + result.foundLinks.length);
      return this.book === null ? NOTHING : passOn(result, this.book, passed);
    });
    const ranked = new Set<FoundUrl>();
    const rank = (link: FoundUrl | null | undefined): void => {
      if (!link || ranked.has(link)) return;
      ranked.add(link);
      this.rank(link, passed.get(link));
    };
    for (const { foundLinks, redirectTo, standIn, page } of results) {
      foundLinks.forEach(rank);
      rank(redirectTo);
      rank(standIn);
      rank(page?.canonical);
    }
    found.forEach(rank);
    if (this.order.follows === 'relevance') for (const result of results) this.#notePromises(result);
  }

  #notePromises({ knownLinks, knownPromises }: UrlResult): void {
    for (const [i, relevance] of knownPromises.entries()) {
      const id = targetOf(knownLinks[i]!);
      if (relevance > (this.#promised.get(id) ?? 0)) this.#promised.set(id, relevance);
    }
  }

  /** Called after the commit, when the ids of the found URLs are known. */
  afterCommit(results: readonly UrlResult[], receipt: CommitReceipt): void {
    this.#known += receipt.discovered;
    this.#uncountedLinks = receipt.uncountedLinks;
    for (const [i, result] of results.entries()) {
      const state = receipt.states[i];
      if (state === 'fetched' || state === 'duplicate') {
        this.#pages++;
        this.#pagesSinceRanking++;
      }
      if (this.book !== null && state !== null && state !== 'waiting') this.book.isOver(result.id);
    }
    if (this.book !== null) this.#credit(results, receipt, this.book);
  }

  #credit(results: readonly UrlResult[], { linkIds, redirectIds }: CommitReceipt, book: ScoreBook): void {
    const before = book.known;
    for (const [i, { id, foundAttributes }] of results.entries()) {
      for (const [j, target] of linkIds[i]!.entries()) {
        if (target !== id) book.receive(target, this.#portions[i]!, LINK_WEIGHTS[foundAttributes[j]!]!);
      }
      const redirectTo = redirectIds.get(id);
      if (redirectTo !== undefined) book.receive(redirectTo, this.#portions[i]!, 1);
    }
    for (let id = before + 1; id <= book.known; id++) book.wasRanked(id);
  }

  /** An order can be user code, so its result is checked. */
  #rankOf(url: WaitingUrl): number {
    const rank = this.order.rank(url);
    if (Number.isFinite(rank)) return rank;
    throw new OrbweaverError(
      'ERR_BAD_OPTION',
      `order ${this.order.name} returned ${rank} for ${url.url}; it must return a number`,
    );
  }

  /** Returns the URLs whose rank changes. It is called after each commit and mostly returns none. */
  async newRanks(isLast = false): Promise<readonly NewRank[]> {
    if (this.#uncountedLinks >= this.#store.mostUncountedLinks) await this.countLinks();
    if (this.order.follows === undefined || (!isLast && this.#pagesSinceRanking < this.#pagesBetween())) return [];
    this.#pagesSinceRanking = 0;
    if (this.order.follows === 'relevance') return this.#byRelevance();
    return this.order.follows === 'backlinks' ? this.#byBacklinks() : this.#byScore();
  }

  #pagesBetween(): number {
    return Math.min(PAGES_BETWEEN, LEAST_BETWEEN + this.#pages / ONE_IN);
  }

  async countLinks(): Promise<void> {
    this.#uncountedLinks = 0;
    const grown = await this.#store.countLinks(this.order.follows === 'backlinks');
    for (const url of grown) this.#grown.push(url);
  }

  async #byBacklinks(): Promise<readonly NewRank[]> {
    await this.countLinks();
    const grown = this.#grown;
    this.#grown = [];
    const ranks = grown.map((url) => this.#newRank(url, url.backlinks));
    return this.order.drifts ? [...ranks, ...(await this.#someInTurn(DRIFTERS))] : ranks;
  }

  /** Waiting URLs in the order of discovery, from where the last call stopped. Starts again after the last one. */
  async #someInTurn(limit: number): Promise<readonly NewRank[]> {
    const urls = await this.#store.waitingAfter(this.#turnedTo, limit);
    this.#turnedTo = urls.length < limit ? 0 : urls.at(-1)!.id;
    const backlinks = await this.#store.backlinks(urls.map(({ id }) => id));
    return urls.map((url, i) => this.#newRank(url, backlinks[i]!));
  }

  /** The folder was crawled in another order before, so its ranks mean nothing in this order. */
  async rankAll(): Promise<void> {
    do await this.#store.rerank(await this.#someInTurn(RANKED_AT_ONCE));
    while (this.#turnedTo !== 0);
  }

  #newRank(url: WaitingRecord, backlinks: number): NewRank {
    const { id } = url;
    // Another worker may have made the URL known.
    this.knows(id);
    this.book?.wasRanked(id);
    const facts = this.#factsOf(url, { foundAt: id, backlinks, score: this.book?.score(id) ?? 0 });
    return { id, rank: this.#rankOf(facts) };
  }

  async #byRelevance(): Promise<readonly NewRank[]> {
    const promised = this.#promised;
    this.#promised = new Map();
    const waiting = await this.#store.waiting([...promised.keys()]);
    return waiting
      .filter((url) => promised.get(url.id)! > (url.relevance ?? 0))
      .map((url) => {
        const relevance = promised.get(url.id)!;
        return { ...this.#newRank({ ...url, relevance }, FIRST_BACKLINK), relevance };
      });
  }

  async #byScore(): Promise<readonly NewRank[]> {
    const book = this.book!;
    const grown = await this.#store.waiting(book.takeGrown());
    return grown.map((url) => this.#newRank(url, book.backlinks(url.id)));
  }

  #factsOf(
    { url, depth, relevance }: Pick<FoundUrl, 'url' | 'depth' | 'relevance'>,
    counts: Pick<WaitingUrl, 'foundAt' | 'backlinks' | 'score'>,
  ): WaitingUrl {
    const siblings = this.#siblings;
    const { foundAt, backlinks, score } = counts;
    return {
      url,
      depth,
      foundAt,
      backlinks,
      score,
      relevance: relevance ?? 0,
      pages: this.#pages,
      // A getter, because most orders do not need the value.
      get forwardLinks() {
        return siblings.expected(url);
      },
    };
  }

  /**
   * Called when a crawl continues: repeats the portions that the pages of the stored graph passed to
   * each other, in the order of their commits.
   */
  async rebuild(seeds: number): Promise<void> {
    const { book } = this;
    if (book === null) return;
    // The seeds were known first and share the initial score.
    book.open(Math.min(seeds, this.#known));
    await this.countLinks();
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

/**
 * Hands out the portion of a page: at once to URLs with an id, and to the others when they get one. A link of a page to
 * itself gets nothing, as in PageRank.
 */
function passOn(result: UrlResult, book: ScoreBook, passed: Map<FoundUrl, Portion>): Portion {
  const { id, url, foundLinks, foundAttributes, redirectTo } = result;
  if (redirectTo !== null) {
    const whole = book.handOut(id, 1);
    passed.set(redirectTo, whole);
    return whole;
  }
  if (result.page === null) return NOTHING;
  const knownLinks = result.knownLinks.filter((value) => targetOf(value) !== id);
  let weight = 0;
  for (const value of knownLinks) weight += LINK_WEIGHTS[attributeCodeOf(value)]!;
  for (const [i, code] of foundAttributes.entries()) if (foundLinks[i]!.url !== url) weight += LINK_WEIGHTS[code]!;
  const portion = book.handOut(id, weight);
  for (const value of knownLinks) book.receive(targetOf(value), portion, LINK_WEIGHTS[attributeCodeOf(value)]!);
  for (const [i, link] of foundLinks.entries()) {
    const { rank, cash } = passed.get(link) ?? NOTHING;
    const part = LINK_WEIGHTS[foundAttributes[i]!]!;
    passed.set(link, { rank: rank + portion.rank * part, cash: cash + portion.cash * part });
  }
  return portion;
}

function replay({ page, count, targets, attributes }: SegmentReader, book: ScoreBook): void {
  let weight = 0;
  for (let i = 0; i < count; i++) weight += LINK_WEIGHTS[attributes[i]!]!;
  const portion = book.handOut(page, weight);
  for (let i = 0; i < count; i++) book.receive(targets[i]!, portion, LINK_WEIGHTS[attributes[i]!]!);
  book.isOver(page);
}
