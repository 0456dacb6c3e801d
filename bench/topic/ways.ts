/** The ways of crawling that are compared, and what each found on one web. */

import { type Topic, topicFromExamples, topicFromWords } from '../../src/frontier/topic/topic.ts';
import { DEFAULT_FOCUS } from './default-focus.ts';
import { WANTED_WORDS } from './page-words.ts';
import { crawlBreadthFirst, crawlFocused, type FocusedWay, type Harvest } from './simulate.ts';
import type { TopicWeb } from './topic-web.ts';

/** Points of the crawl at which it is looked at: every twentieth of the web's pages, up to the fifth that counts and once after. */
export const SHARES = [0.05, 0.1, 0.15, 0.2, 0.4] as const;
/** The harvest rate is judged over the first fifth. */
export const JUDGED_SHARE = 0.2;

export const BREADTH_FIRST = 'breadth-first';
/** Which row is held against the goal: what a crawl can do whose store keeps the first rank and whose pages have no words around links. */
export const JUDGED_WAY = 'words, first rank kept';

const EXAMPLES = 10;
const CUT_STEPS = [1, 2, 3] as const;

export interface WayResult {
  readonly seed: number;
  readonly way: string;
  /** Branches were cut, so that the crawl ended by itself. */
  readonly cut: boolean;
  /** At each of SHARES: the share of all pages on topic that were fetched. */
  readonly recalls: readonly number[];
  /** At each of SHARES: the share of the fetched pages that are on topic. */
  readonly harvests: readonly number[];
  /** When nothing is left to fetch: less than all where branches are cut. */
  readonly fetchedShare: number;
  readonly finalRecall: number;
}

export function crawlAllWays(web: TopicWeb, seed: number, report: (text: string) => void): WayResult[] {
  const words = topicFromWords(WANTED_WORDS)!;
  const plain: FocusedWay = { topic: words, readAround: false, raise: false, cut: null };
  const ways: [string, FocusedWay][] = [
    [JUDGED_WAY, plain],
    ['words, better rank taken', { ...plain, raise: true }],
    ['words and those around', { ...plain, raise: true, readAround: true }],
    [`${EXAMPLES} examples, better rank taken`, { ...plain, topic: exampleTopic(web), raise: true }],
    ...CUT_STEPS.map((maxStepsOff): [string, FocusedWay] => [
      `cut after ${maxStepsOff} off topic`,
      { ...plain, raise: true, cut: { ...DEFAULT_FOCUS, maxStepsOff } },
    ]),
  ];
  const results = [resultOf(web, seed, BREADTH_FIRST, false, crawlBreadthFirst(web))];
  for (const [name, way] of ways) {
    results.push(resultOf(web, seed, name, way.cut !== null, crawlFocused(web, way)));
    report(
      `seed ${seed}, ${name}: recall ${results
        .at(-1)!
        .recalls.map((recall) => recall.toFixed(3))
        .join(' ')}`,
    );
  }
  return results;
}

/** Pages a user has at hand; the crawl has to find them like all others. */
function exampleTopic(web: TopicWeb): Topic {
  const texts: string[] = [];
  for (let page = web.pages - 1; page > 0 && texts.length < EXAMPLES; page--) {
    if (web.isOnTopic(page)) texts.push(web.text(page));
  }
  return topicFromExamples(texts)!;
}

function resultOf(web: TopicWeb, seed: number, way: string, cut: boolean, { found, fetched }: Harvest): WayResult {
  const at = (share: number) => Math.min(Math.round(web.pages * share), fetched);
  return {
    seed,
    way,
    cut,
    recalls: SHARES.map((share) => found[at(share) - 1]! / web.onTopicPages),
    harvests: SHARES.map((share) => found[at(share) - 1]! / at(share)),
    fetchedShare: fetched / web.pages,
    finalRecall: found[fetched - 1]! / web.onTopicPages,
  };
}
