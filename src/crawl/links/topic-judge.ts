/**
 * Judges pages and links by the topic of the crawl (P3): how relevant a page is, from its title and text; how relevant
 * its links promise to be, before they are fetched; and which links are too far off topic to follow.
 */
import type { CrawlOptions } from '../../core/options/options.ts';
import { type FocusRules, isCut, SEED_TRAIL, trailAfter } from '../../frontier/topic/off-topic-trail.ts';
import type { Topic } from '../../frontier/topic/topic.ts';
import { TopicFocus } from '../../frontier/topic/topic-focus.ts';
import type { PageLink, ParsedPage } from '../../page/parsed-page.ts';
import type { ClaimedUrl, FoundUrl, TopicTrail } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';

export interface LinkPromise {
  readonly relevance: number;
  readonly trail: TopicTrail;
  readonly isCut: boolean;
  /** Whether the promise is worth reporting for a URL that is already known. Only a high promise can raise its rank. */
  readonly isHigh: boolean;
}

/** The judgement of one page by the topic. */
export interface PageFocus {
  /** Null for a document without text, such as a sitemap. */
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

  /** `ownText`: the text of the page without the template of its host. */
  judge({ kind, title }: ParsedPage, ownText: string, task: ClaimedUrl): PageFocus {
    const before = trailOf(task) ?? SEED_TRAIL;
    // A list of links has no relevance of its own, so its links continue the trail of the list.
    const relevance = kind === 'html' ? this.#focus.judgePage({ title, text: ownText }) : null;
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

/* Carries the topic judgement of a URL: from its discovery to its fetch, and to the URLs found there. */

/** The trail on which a URL was found; null if there is no topic. */
function trailOf({ inherited, stepsOff }: ClaimedUrl): TopicTrail | null {
  return inherited === null || stepsOff === null ? null : { inherited, stepsOff };
}

/** The relevance and the trail of a URL also hold for another URL of the same page. */
export function pathOf(task: ClaimedUrl): Pick<FoundUrl, 'relevance' | 'trail'> {
  return { relevance: task.relevance, trail: trailOf(task) };
}

/** Whether a link promises more for the topic than the link that reported its URL before. */
export function isBetter(promise: LinkPromise | null, reported: FoundUrl): boolean {
  if (promise === null) return false;
  return promise.relevance > (reported.relevance ?? 0) || (reported.skip === 'off-topic' && !promise.isCut);
}
