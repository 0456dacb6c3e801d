/**
 * The focus of a crawler unit on the topic of the crawl (P3): how relevant a page is, from its text; how much its links promise,
 * before they are fetched; and which of them are cut off, being too far off topic.
 */
import type { CrawlOptions } from '../core/options.ts';
import { type FocusRules, isCut, SEED_TRAIL, trailAfter } from '../frontier/topic/branch.ts';
import type { Topic } from '../frontier/topic/topic.ts';
import { TopicFocus } from '../frontier/topic/topic-focus.ts';
import type { PageLink, ParsedPage } from '../page/parsed-page.ts';
import type { ClaimedUrl, TopicTrail } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { trailOf } from './topic-trail.ts';

export interface LinkPromise {
  readonly relevance: number;
  readonly trail: TopicTrail;
  readonly isCut: boolean;
  /** Whether it is worth telling of a URL that is known already: only what may rise. */
  readonly isHigh: boolean;
}

/** A page in the light of the topic. */
export interface PageFocus {
  /** Null of what is no text, such as a sitemap. */
  readonly relevance: number | null;
  promiseOf(link: PageLink, url: string): LinkPromise;
}

export class TopicJudge {
  readonly #focus: TopicFocus;
  readonly #rules: FocusRules;

  constructor(topic: Topic, { topicThreshold, topicSteps }: CrawlOptions) {
    this.#focus = new TopicFocus(topic);
    this.#rules = { threshold: topicThreshold, maxStepsOff: topicSteps };
  }

  judge(page: ParsedPage, task: ClaimedUrl): PageFocus {
    const before = trailOf(task) ?? SEED_TRAIL;
    // A list of links says nothing itself: they stand where it stands.
    const relevance = page.kind === 'html' ? this.#focus.judgePage(page.text) : null;
    const trail = relevance === null ? before : trailAfter(before, relevance, this.#rules);
    return { relevance, promiseOf: (link, url) => this.#promiseOf(link, url, trail) };
  }

  #promiseOf({ text, around }: PageLink, url: string, trail: TopicTrail): LinkPromise {
    const words = { url, pathAt: hostOf(url).length, anchor: text, around };
    const relevance = this.#focus.judgeLink(words, trail.inherited);
    const isHigh = relevance >= this.#rules.threshold;
    return { relevance, trail, isHigh, isCut: isCut(relevance, trail, this.#rules) };
  }
}
