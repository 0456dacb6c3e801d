/**
 * Makes page results as the controller commits them, without a web: links, digests and fingerprints
 * are computed from numbers.
 *
 * In: claimed URLs. Out: results of pages with 60 links: 20 links of the host's navigation, 30 links to neighbours, 8
 * links to any known URL and 2 links to new URLs. What always holds: a link is named by its id when a receipt has
 * returned that id, and by its URL otherwise, as in a unit.
 */
import { KnownUrls } from '../../src/crawl/links/known-urls.ts';
import { PLAINEST_CODE } from '../../src/graph/link-attributes.ts';
import { linkValue } from '../../src/graph/link-list.ts';
import type { ClaimedUrl, CommitReceipt, FoundUrl, UrlResult } from '../../src/store/contract.ts';
import { SAMPLE_NUMBERS, SKETCH_SIZE } from '../../src/store/rules/near-duplicate-rule.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';

const NAVIGATION_LINKS = 20;
const NEAR_LINKS = 30;
const FAR_LINKS = 8;
const NEW_LINKS = 2;
const PRINTS = 2 ** 30;
/** Fingerprints that all pages share: navigation and footer. */
const SHARED_PRINTS = 2;
const NEVER_SEEN = 'new';

export class CostWeb {
  readonly hosts: number;
  readonly urlsPerHost: number;
  readonly #known = new KnownUrls();
  readonly #random: Random;
  /** One object per URL, also when several pages of a batch link to the same URL. */
  #found = new Map<string, FoundUrl>();
  #serial: number;

  /** Runs with different `run` numbers make different pages and different new links. */
  constructor(known: number, hosts: number, seed: number, run: number) {
    this.hosts = hosts;
    this.urlsPerHost = Math.floor(known / hosts);
    this.#random = seededRandom(seed, run);
    this.#serial = run * 1e9;
  }

  static hostName(host: number): string {
    return `http://h${host}.bench.test`;
  }

  /** Must equal the URLs that the statement in cost-fill.ts makes. */
  static url(host: number, place: number): string {
    return `${CostWeb.hostName(host)}/section-${place % 100}/page-${place}.html`;
  }

  resultOf(hostId: number, { id, url }: ClaimedUrl): UrlResult {
    const [known, found] = this.#links(url);
    const serial = this.#serial++;
    return {
      id,
      url,
      hostId,
      state: 'fetched',
      reason: null,
      failures: 0,
      dueAtMs: null,
      capture: {
        fetchedAtMs: Date.now(),
        status: 200,
        contentType: 'text/html',
        payloadDigest: `sha1:${urlKeyHex(`payload ${serial}`)}`,
        file: 'bench-00001.warc.gz',
        offset: serial,
        length: 14_000,
        revisit: false,
      },
      page: {
        bytes: 36_000,
        wireBytes: 14_000,
        digest: urlKeyHex(`page ${serial}`) + urlKeyHex(`its rest ${serial}`),
        title: `Page ${serial} of the benchmark`,
        language: 'en',
        canonical: null,
        noindex: false,
        relevance: null,
        sketch: this.#sketch(),
        etag: `"${serial}"`,
      },
      redirectTo: null,
      standIn: null,
      knownLinks: known,
      foundLinks: found,
      knownPromises: [],
      foundAttributes: found.map(() => PLAINEST_CODE),
      receivedBytes: 36_000,
    };
  }

  /** Remembers the ids of links that a receipt returns. */
  learn(results: readonly UrlResult[], { linkIds }: CommitReceipt): void {
    for (const [place, { foundLinks }] of results.entries()) {
      for (const [link, { url }] of foundLinks.entries()) this.#known.set(url, linkIds[place]![link]!);
    }
    this.#found = new Map();
  }

  #links(url: string): [known: number[], found: FoundUrl[]] {
    const [host, place] = [numberIn(/^http:\/\/h(\d+)\./, url), numberIn(/page-(\d+)\.html$/, url)];
    const within = (position: number) => CostWeb.url(host, (position + this.urlsPerHost) % this.urlsPerHost);
    const urls = new Set<string>();
    for (let link = 0; link < NAVIGATION_LINKS; link++) {
      urls.add(within(Math.floor((link * this.urlsPerHost) / NAVIGATION_LINKS)));
    }
    for (let step = 1; step <= NEAR_LINKS / 2; step++) urls.add(within(place + step)).add(within(place - step));
    for (let link = 0; link < FAR_LINKS; link++) {
      urls.add(CostWeb.url(randomBelow(this.#random, this.hosts), randomBelow(this.#random, this.urlsPerHost)));
    }
    for (let link = 0; link < NEW_LINKS; link++) {
      urls.add(`${CostWeb.hostName(host)}/${NEVER_SEEN}/${this.#serial}-${link}.html`);
    }
    const known: number[] = [];
    const found: FoundUrl[] = [];
    for (const each of urls) {
      const id = this.#known.get(each);
      if (id === undefined) found.push(this.#foundUrl(each));
      else known.push(linkValue(id, PLAINEST_CODE));
    }
    return [known, found];
  }

  #foundUrl(url: string): FoundUrl {
    const there = this.#found.get(url);
    if (there !== undefined) return there;
    const place = { depth: 2, hops: 0, rank: 2, relevance: null, trail: null, skip: null, pattern: null };
    const made: FoundUrl = { url, key: urlKeyHex(url), host: hostOf(url), original: null, ...place };
    this.#found.set(url, made);
    return made;
  }

  #sketch(): Uint32Array {
    const own = Array.from({ length: SKETCH_SIZE - SHARED_PRINTS }, () => randomBelow(this.#random, PRINTS));
    const prints = Uint32Array.from([...Array.from({ length: SHARED_PRINTS }, (_, print) => print), ...own]).sort();
    const sample = Array.from({ length: SAMPLE_NUMBERS }, () => randomBelow(this.#random, 2 ** 32));
    return Uint32Array.of(...sample, ...prints);
  }
}

function numberIn(pattern: RegExp, url: string): number {
  return Number(pattern.exec(url)?.[1] ?? 0);
}
