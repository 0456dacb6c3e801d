/**
 * Crawls the test web without a network: the functions of the crawler, a queue, and a count of on-topic pages.
 *
 * In: a web and a way to crawl. Out: the fetched on-topic pages in their order. What always holds: the crawl sees only
 * the data that a crawler would see (texts of fetched pages and their links), and starts at page 0.
 */

import {
  type FocusRules,
  isCut,
  SEED_TRAIL,
  type Trail,
  trailAfter,
} from '../../src/frontier/topic/off-topic-trail.ts';
import type { Topic } from '../../src/frontier/topic/topic.ts';
import { TopicFocus } from '../../src/frontier/topic/topic-focus.ts';
import { DEFAULT_FOCUS } from './default-focus.ts';
import { WaitingPages } from './waiting-pages.ts';

/** A web that a focused crawl can visit. Page `p` has the links `linkTo[linkStart[p] … linkStart[p + 1] - 1]`. */
export interface FocusWeb {
  readonly pages: number;
  readonly linkStart: Uint32Array;
  readonly linkTo: Uint32Array;
  readonly onTopicPages: number;
  isOnTopic(page: number): boolean;
  title(page: number): string;
  visibleText(page: number): string;
  /** `at` is an index in `linkTo`, `from` is the page with the link. */
  link(from: number, at: number): WebLink;
}

export interface WebLink {
  readonly url: string;
  readonly anchor: string;
  /** The words before and after the link. */
  readonly around: string;
}

export interface FocusedWay {
  readonly topic: Topic;
  /** True: the words around links are read, too. */
  readonly readAround: boolean;
  /** True: a URL that is found again with a better rank moves up. False: the URL keeps its first rank. */
  readonly raise: boolean;
  /** The rules for cutting branches. Null: all pages are fetched in the end. */
  readonly cut: FocusRules | null;
}

export interface Harvest {
  /** Number of on-topic pages found so far, after each fetched page. */
  readonly found: Uint32Array;
  readonly fetched: number;
}

export function crawlBreadthFirst(web: FocusWeb): Harvest {
  const queue = [0];
  const known = new Uint8Array(web.pages);
  known[0] = 1;
  const tally = new Tally(web);
  for (const page of queue) {
    tally.fetch(page);
    for (let at = web.linkStart[page]!; at < web.linkStart[page + 1]!; at++) {
      const to = web.linkTo[at]!;
      if (known[to]) continue;
      known[to] = 1;
      queue.push(to);
    }
  }
  return tally;
}

export function crawlFocused(web: FocusWeb, { topic, readAround, raise, cut }: FocusedWay): Harvest {
  const focus = new TopicFocus(topic);
  const rules = cut ?? DEFAULT_FOCUS;
  const waiting = new WaitingPages();
  const best = new Float64Array(web.pages).fill(-1);
  const trails: Trail[] = [];
  const fetched = new Uint8Array(web.pages);
  const tally = new Tally(web);
  best[0] = 0;
  trails[0] = SEED_TRAIL;
  waiting.push(0, 0);
  for (let page = waiting.pop(); page !== -1; page = waiting.pop()) {
    if (fetched[page]) continue;
    fetched[page] = 1;
    tally.fetch(page);
    const trail = trailAfter(
      trails[page]!,
      focus.judgePage({ title: web.title(page), text: web.visibleText(page) }),
      rules,
    );
    for (let at = web.linkStart[page]!; at < web.linkStart[page + 1]!; at++) {
      const to = web.linkTo[at]!;
      if (fetched[to] || (!raise && best[to] !== -1)) continue;
      const { url, anchor, around } = web.link(page, at);
      const pathAt = url.indexOf('/', 8);
      const words = readAround ? { url, pathAt, anchor, around } : { url, pathAt, anchor };
      const relevance = focus.judgeLink(words, trail.inherited);
      if (relevance <= best[to]! || (cut !== null && isCut(relevance, trail, rules))) continue;
      best[to] = relevance;
      trails[to] = trail;
      waiting.push(to, relevance);
    }
  }
  return tally;
}

class Tally implements Harvest {
  readonly found: Uint32Array;
  fetched = 0;
  readonly #web: FocusWeb;

  constructor(web: FocusWeb) {
    this.#web = web;
    this.found = new Uint32Array(web.pages);
  }

  fetch(page: number): void {
    const before = this.fetched === 0 ? 0 : this.found[this.fetched - 1]!;
    this.found[this.fetched++] = before + (this.#web.isOnTopic(page) ? 1 : 0);
  }
}
