/** The compared ways of crawling, and the result of each on one web. */

import { type Topic, topicFromExamples, topicFromWords } from '../../src/frontier/topic/topic.ts';
import { DEFAULT_FOCUS } from './default-focus.ts';
import { WANTED_WORDS } from './page-words.ts';
import { crawlBreadthFirst, crawlFocused, type FocusedWay, type Harvest } from './simulate.ts';
import type { TopicWeb } from './topic-web.ts';

/** The crawl is measured at these shares of the web's pages: every twentieth up to the judged fifth, and once later. */
export const SHARES = [0.05, 0.1, 0.15, 0.2, 0.4] as const;
/** The harvest rate is judged over the first fifth. */
export const JUDGED_SHARE = 0.2;

export const BREADTH_FIRST = 'breadth-first';
/**
 * The row that is compared with the aim: a crawl whose store keeps the first rank and whose pages have
 * no words around links.
 */
export const JUDGED_WAY = 'words, first rank kept';

const EXAMPLES = 10;
const CUT_STEPS = [1, 2, 3] as const;

export interface WayResult {
  readonly seed: number;
  readonly way: string;
  /** True: branches were cut, so that the crawl ended by itself. */
  readonly cut: boolean;
  /** At each of SHARES: the fetched share of all on-topic pages. */
  readonly recalls: readonly number[];
  /** At each of SHARES: the share of the fetched pages that are on topic. */
  readonly harvests: readonly number[];
  /** The fetched share of the web at the end of the crawl. It is less than 1 when branches are cut. */
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

/** The example pages of a user. The crawl must still find them like all other pages. */
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
