/** A random crawl over a few URLs with nothing but links, and the link graph that it should leave, in plain maps. */
import assert from 'node:assert/strict';
import { ATTRIBUTE_CODES, LINK_WEIGHTS } from '../../../../src/graph/link-attributes.ts';
import { linkValue } from '../../../../src/graph/link-list.ts';
import type { CommitBatch, Store, UrlResult } from '../../../../src/store/contract.ts';
import { SeededRandom } from '../../../../testbed/random.ts';
import { batchOf, capture, FILE, found, NOW_MS, OTHER_OWNER, page, resultOf } from '../../rows.ts';

const URLS = 90;
const SEEDS = 25;

export class GraphCrawl {
  /** Page → target → attribute code. */
  readonly links = new Map<string, Map<string, number>>();
  /** In the order of commit. */
  #pages: { readonly url: string; readonly endsAt: number }[] = [];
  readonly #random: SeededRandom;
  readonly #idOf = new Map<string, number>();
  #store: Store;
  #hostId = 0;
  #archiveBytes = 0;

  constructor(store: Store, seed: number) {
    this.#store = store;
    this.#random = new SeededRandom(seed);
  }

  async begin(): Promise<void> {
    const seeds = Array.from({ length: SEEDS }, (_, i) => urlNamed(i));
    const ids = await this.#store.seed(
      seeds.map((url) => found(url)),
      NOW_MS,
    );
    for (const [i, url] of seeds.entries()) this.#idOf.set(url, ids[i]!);
    await this.goOn(this.#store);
  }

  /** Continues with the store opened again, and with a new lease. */
  async goOn(store: Store): Promise<void> {
    this.#store = store;
    const [host] = await store.hosts(0, 1);
    await store.release('first', [host!.id], NOW_MS);
    const leases = await store.claim({ owner: 'first', hosts: 1, urlsPerHost: 1, nowMs: NOW_MS, leaseMs: 1e9 });
    this.#hostId = leases[0]?.hostId ?? host!.id;
  }

  async commit(): Promise<void> {
    const tasks = await this.#store.claimMore(this.#hostId, {
      limit: 1 + this.#random.below(4),
      besides: new Set(),
      nowMs: NOW_MS,
    });
    const results = tasks.map((task) => this.#resultOf(task));
    const batch = batchOf(results, { archive: new Map([[FILE, this.#archiveBytes]]) });
    // A former owner of the host commits too late: its links become known, but they are not counted.
    if (this.#random.below(4) === 0) await this.#send({ ...batch, owner: OTHER_OWNER }, null);
    await this.#send(batch, tasks.length === 0 ? null : 'fetched');
    for (const result of results) if (result.page) this.#remember(result);
    if (this.#random.below(4) === 0) await this.#send(batch, null);
  }

  async #send(batch: CommitBatch, state: 'fetched' | null): Promise<void> {
    const receipt = await this.#store.commit(batch);
    for (const [i, { foundLinks, page }] of batch.results.entries()) {
      if (page) assert.equal(receipt.states[i], state);
      for (const [j, { url }] of foundLinks.entries()) this.#idOf.set(url, receipt.linkIds[i]![j]!);
    }
  }

  #resultOf(task: { readonly id: number; readonly url: string; readonly failures: number }): UrlResult {
    const taken = capture(this.#archiveBytes);
    this.#archiveBytes += taken.length;
    const lease = { hostId: this.#hostId };
    if (this.#random.below(8) === 0) return resultOf(lease, task, { state: 'failed', reason: 'gone', capture: taken });
    const known = [...this.#idOf.values()];
    const knownLinks = this.#some(8, () => linkValue(this.#random.pick(known), this.#code()));
    const foundLinks = this.#some(8, () => found(urlNamed(this.#random.below(URLS))));
    const foundAttributes = foundLinks.map(() => this.#code());
    return resultOf(lease, task, {
      page: page(task.url),
      capture: taken,
      knownLinks,
      foundLinks,
      foundAttributes,
    });
  }

  #some<T>(limit: number, make: () => T): T[] {
    return Array.from({ length: this.#random.below(limit) }, make);
  }

  #code(): number {
    return this.#random.below(ATTRIBUTE_CODES);
  }

  /**
   * If there are several links to one target, the heaviest counts; if they are equally heavy, the greater code counts.
   * A link of a page to itself does not count.
   */
  #remember({ url, knownLinks, foundLinks, foundAttributes, capture: taken }: UrlResult): void {
    const urlOf = new Map([...this.#idOf].map(([known, id]) => [id, known]));
    const all = [
      ...knownLinks.map((value) => [urlOf.get(Math.floor(value / ATTRIBUTE_CODES))!, value % ATTRIBUTE_CODES] as const),
      ...foundLinks.map((link, i) => [link.url, foundAttributes[i]!] as const),
    ];
    const links = new Map<string, number>();
    const others = all.filter(([target]) => target !== url);
    for (const [target, code] of others.sort(([, a], [, b]) => LINK_WEIGHTS[a]! - LINK_WEIGHTS[b]! || a - b)) {
      links.set(target, code);
    }
    this.links.set(url, links);
    this.#pages.push({ url, endsAt: taken!.offset + taken!.length });
  }

  /** The archive loses its end, sometimes all of it. */
  async forget(): Promise<void> {
    const from = this.#random.below(3) === 0 ? 0 : this.#random.below(this.#archiveBytes + 1);
    await this.#store.forgetCaptures(FILE, from, NOW_MS);
    for (const { url } of this.#pages.filter(({ endsAt }) => endsAt > from)) this.links.delete(url);
    this.#pages = this.#pages.filter(({ endsAt }) => endsAt <= from);
  }

  /** In the order of commit. */
  get pages(): string[] {
    return this.#pages.map(({ url }) => url);
  }

  backlinksOf(target: string): { url: string; attributes: number }[] {
    return this.pages.flatMap((url) => {
      const attributes = this.links.get(url)!.get(target);
      return attributes === undefined ? [] : [{ url, attributes }];
    });
  }
}

function urlNamed(n: number): string {
  return `http://a.test/${n}`;
}
