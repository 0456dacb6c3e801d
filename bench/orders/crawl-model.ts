/**
 * Crawls a model web without a network: the real store, ranker, PageRank and order, with the links of the model's
 * pages. In: a web and an order. Out: the sequence in which the pages were fetched.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PageRankKeeper } from '../../src/crawl/ranking/page-rank-keeper.ts';
import { Ranker } from '../../src/crawl/ranking/ranker.ts';
import { unfinished } from '../../src/crawl/unit/unfinished.ts';
import type { Order } from '../../src/frontier/order.ts';
import { PLAINEST_CODE } from '../../src/graph/link-attributes.ts';
import { linkValue } from '../../src/graph/link-list.ts';
import type { ClaimedUrl, FoundUrl, NewRank, Store, UrlResult } from '../../src/store/contract.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { urlKeyHex } from '../../src/url/key.ts';

export interface ModelWeb {
  readonly pages: number;
  links(page: number): ArrayLike<number>;
  /** The attribute code of each link. Without it all links are alike. */
  codes?(page: number): ArrayLike<number>;
  /** The folder of the page, with a slash at the start and none at the end. Without it all pages are in one folder. */
  folder?(page: number): string;
}

const HOST = 'http://web.test';
const OWNER = 'model';
const NOW_MS = 1_000;
/** URLs that the units have at the same time, as in a crawl at full speed. A commit has half of them. */
const MOST_OUT = 128;

/** Page 0 is the seed. */
export async function crawlModel(web: ModelWeb, order: Order, stepMs?: number): Promise<Uint32Array> {
  const dir = await mkdtemp(join(tmpdir(), 'orbweaver-orders-'));
  const store = openSqliteStore(dir, NOW_MS);
  try {
    return await new ModelCrawl(web, order, store, stepMs).run();
  } finally {
    await store.close();
    await rm(dir, { recursive: true });
  }
}

class ModelCrawl {
  readonly #web: ModelWeb;
  readonly #store: Store;
  readonly #ranker: Ranker;
  readonly #pageRanks: PageRankKeeper;
  readonly #fetched: Uint32Array;
  /** Ids by page; 0 for an unknown page. */
  readonly #ids: Float64Array;
  /** Time for PageRank between two commits. Without a limit the crawl does not depend on the clock. */
  readonly #stepMs: number | undefined;
  #count = 0;
  #ranks: readonly NewRank[] = [];

  constructor(web: ModelWeb, order: Order, store: Store, stepMs: number | undefined) {
    this.#stepMs = stepMs;
    this.#web = web;
    this.#store = store;
    this.#ranker = new Ranker(order, store, 0, 0);
    this.#pageRanks = new PageRankKeeper(store, this.#ranker);
    this.#fetched = new Uint32Array(web.pages);
    this.#ids = new Float64Array(web.pages);
  }

  async run(): Promise<Uint32Array> {
    const seed = this.#found(0, 0);
    this.#ranker.rank(seed);
    const [seedId] = await this.#store.seed([seed], NOW_MS);
    this.#ranker.seeded([seedId!]);
    this.#ids[0] = seedId!;
    const lists = this.#ranker.order.lists ?? [1];
    const request = { owner: OWNER, hosts: 1, urlsPerHost: 1, nowMs: NOW_MS, leaseMs: 1e12, lists };
    const [lease] = await this.#store.claim(request);
    const out = [...lease!.urls];
    while (out.length > 0) {
      await this.#fetch(lease!.hostId, out.splice(0, Math.ceil(out.length / 2)));
      const besides = new Set(out.map(({ id }) => id));
      const limit = Math.min(MOST_OUT, this.#ranker.mostOut) - out.length;
      out.push(...(await this.#store.claimMore(lease!.hostId, { limit, besides, nowMs: NOW_MS, lists })));
    }
    return this.#fetched.subarray(0, this.#count);
  }

  async #fetch(hostId: number, urls: readonly ClaimedUrl[]): Promise<void> {
    const results = urls.map((task) => this.#resultOf(task, hostId));
    const batch = { owner: OWNER, nowMs: NOW_MS, results, hosts: [], found: [], archive: new Map() };
    const whole = { ...batch, patternBudget: Number.POSITIVE_INFINITY, ranks: this.#ranks };
    this.#ranker.beforeCommit(whole);
    const receipt = await this.#store.commit(whole);
    this.#ranker.afterCommit(results, receipt);
    this.#ranks = await this.#ranker.newRanks();
    await this.#pageRanks.step(0, this.#stepMs);
    for (const [i, { foundLinks }] of results.entries()) {
      for (const [j, { url }] of foundLinks.entries()) this.#ids[pageOf(url)] = receipt.linkIds[i]![j]!;
    }
  }

  #resultOf(task: ClaimedUrl, hostId: number): UrlResult {
    const page = pageOf(task.url);
    this.#fetched[this.#count++] = page;
    const knownLinks: number[] = [];
    const foundLinks: FoundUrl[] = [];
    const foundAttributes: number[] = [];
    const codes = this.#web.codes?.(page);
    for (const [i, target] of Array.from(this.#web.links(page)).entries()) {
      const id = this.#ids[target]!;
      const code = codes?.[i] ?? PLAINEST_CODE;
      if (id > 0) knownLinks.push(linkValue(id, code));
      else {
        foundLinks.push(this.#found(target, task.depth + 1));
        foundAttributes.push(code);
      }
    }
    return {
      ...unfinished(task.id, task.url, hostId),
      state: 'fetched',
      page: { ...PLAIN_PAGE, digest: urlKeyHex(task.url).repeat(2) },
      knownLinks,
      foundLinks,
      foundAttributes,
    };
  }

  #found(page: number, depth: number): FoundUrl {
    const url = `${HOST}${this.#web.folder?.(page) ?? ''}/${page}`;
    const key = urlKeyHex(url);
    return { ...PLAIN_LINK, url, key, depth };
  }
}

export function pageOf(url: string): number {
  return Number(url.slice(url.lastIndexOf('/') + 1));
}

const PLAIN_LINK = {
  host: HOST,
  original: null,
  hops: 0,
  rank: 0,
  relevance: null,
  trail: null,
  skip: null,
  pattern: null,
};
const PLAIN_PAGE = {
  bytes: 1,
  wireBytes: 1,
  title: '',
  language: '',
  canonical: null,
  noindex: false,
  relevance: null,
};
