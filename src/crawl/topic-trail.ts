/** How URLs that are found, handed out and found again carry what the topic of the crawl makes of them. */
import type { ClaimedUrl, FoundUrl, TopicTrail } from '../store/contract.ts';
import type { LinkPromise } from './topic-judge.ts';

/** The trail a URL was found on. */
export function trailOf({ inherited, stepsOff }: ClaimedUrl): TopicTrail | null {
  return inherited === null || stepsOff === null ? null : { inherited, stepsOff };
}

/** What a URL promises for the topic, and on which trail, holds for another URL of the same page. */
export function wayOf(task: ClaimedUrl): Pick<FoundUrl, 'relevance' | 'trail'> {
  return { relevance: task.relevance, trail: trailOf(task) };
}

/** Whether a link promises more for the topic than the one that told of its URL before. */
export function isBetter(promise: LinkPromise | null, told: FoundUrl): boolean {
  if (promise === null) return false;
  return promise.relevance > (told.relevance ?? 0) || (told.skip === 'off-topic' && !promise.isCut);
}
