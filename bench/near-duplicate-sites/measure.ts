/**
 * How well near duplicates are marked on a site. In: the pages of a site in the order of a crawl. Out: how many marks
 * are right, how many similar pages are marked, and why the others are not.
 *
 * Marks are made as in a crawl: each page is sketched with the template as it is known then, and is compared with all
 * leaders by the rule of the store. The truth is the own content of each page by the template at the end, as the set of
 * its runs of three words. J is the share of common runs (Jaccard).
 */
import { sketchOwnText } from '../../src/content/own-text.ts';
import { Template } from '../../src/content/template/template.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import { LEAST_PRINTS, moreSimilar, type NearDuplicate, printsOf } from '../../src/store/rules/near-duplicate-rule.ts';
import type { OrderedPage } from './read-pages.ts';
import { earlierSimilar, jaccard, ownWords, RunNumbers, type SimilarText } from './word-runs.ts';

const { nearDuplicate: THRESHOLD } = resolveOptions([]);
/** A mark with at least this J is right. */
export const RIGHT = 0.5;
export const CLEARLY_RIGHT = 0.7;
/** A page with at least this J with an earlier page should be marked. */
export const ALIKE = 0.8;

/** Why a page that should be marked is not. The first reason that holds is given. */
export const REASONS = ['too little text', 'no leader', 'other template', 'estimate'] as const;
export type Reason = (typeof REASONS)[number];

export interface ComparedPair {
  readonly page: string;
  readonly other: string;
  /** J by the template at the end, and J of the words from which the two sketches were made. */
  readonly atEnd: number;
  readonly whenSketched: number;
}

export interface MarkCounts {
  readonly marks: number;
  readonly right: number;
  readonly clearlyRight: number;
  /** Pages with an earlier page that is alike, and how many of them are marked. */
  readonly alike: number;
  readonly found: number;
}

export interface NearDuplicateFigures extends MarkCounts {
  readonly site: string;
  /** Without exact duplicates. */
  readonly pages: number;
  readonly exactDuplicates: number;
  /** The same if every page were sketched with the template at the end. */
  readonly withLastTemplate: MarkCounts;
  readonly wrongMarks: readonly ComparedPair[];
  readonly missed: readonly (ComparedPair & { readonly reason: Reason })[];
}

interface JudgedPage extends OrderedPage {
  /** The own words as they were sketched. */
  readonly sketched: Uint32Array;
  /** False if only a page with exactly the same text is similar. */
  readonly isComparable: boolean;
  readonly mark: NearDuplicate | null;
}

export function measureMarks(site: string, pages: readonly OrderedPage[]): NearDuplicateFigures {
  const template = new Template();
  const judged = judgePages(pages, ({ url, words }) => template.learn(url, words).marks);
  const judgedLast = judgePages(pages, ({ url, words }) => template.judge(url, words).marks);
  const numbers = new RunNumbers();
  const runs = judged.map(({ url, words }) => numbers.runsOf(ownWords(words, template.judge(url, words).marks)));
  const similar = earlierSimilar(runs, ALIKE);
  const compared = (page: number, other: number): ComparedPair => {
    const [a, b] = [judged[page]!, judged[other]!];
    const whenSketched = jaccard(numbers.runsOf(a.sketched), numbers.runsOf(b.sketched));
    return { page: a.path, other: b.path, atEnd: jaccard(runs[page]!, runs[other]!), whenSketched };
  };
  const wrongMarks = judged.flatMap(({ mark }, at) => {
    const isWrong = mark !== null && jaccard(runs[at]!, runs[mark.of]!) < RIGHT;
    return isWrong ? [compared(at, mark.of)] : [];
  });
  const missed = judged.flatMap(({ mark }, at) => {
    if (mark !== null || similar[at]!.length === 0) return [];
    const leaders = similar[at]!.filter((each) => judged[each.at]!.mark === null);
    const pair = compared(at, mostSimilar(leaders.length === 0 ? similar[at]! : leaders).at);
    const areComparable = [at, ...leaders.map((each) => each.at)].map((each) => judged[each]!.isComparable);
    return [{ ...pair, reason: reasonOf(areComparable, pair.whenSketched) }];
  });
  return {
    site,
    pages: judged.length,
    exactDuplicates: pages.length - judged.length,
    ...countMarks(judged, runs, similar),
    withLastTemplate: countMarks(judgedLast, runs, similar),
    wrongMarks,
    missed,
  };
}

function countMarks(
  judged: readonly JudgedPage[],
  runs: readonly Uint32Array[],
  similar: readonly (readonly SimilarText[])[],
): MarkCounts {
  const shares = judged.flatMap(({ mark }, at) => (mark === null ? [] : [jaccard(runs[at]!, runs[mark.of]!)]));
  const alike = judged.filter((_, at) => similar[at]!.length > 0);
  return {
    marks: shares.length,
    right: shares.filter((share) => share >= RIGHT).length,
    clearlyRight: shares.filter((share) => share >= CLEARLY_RIGHT).length,
    alike: alike.length,
    found: alike.filter(({ mark }) => mark !== null).length,
  };
}

/** Asks for the template blocks of each page in order, and marks the pages that are no exact duplicates. */
function judgePages(pages: readonly OrderedPage[], templateOf: (page: OrderedPage) => Uint8Array): JudgedPage[] {
  const judged: JudgedPage[] = [];
  const leaders = new Map<number, Uint32Array>();
  for (const page of pages) {
    const marks = page.words.count === 0 ? NO_MARKS : templateOf(page);
    if (page.isRepeat) continue;
    const { sketch } = sketchOwnText(page.words, marks);
    const isComparable = sketch !== undefined && printsOf(sketch).length >= LEAST_PRINTS;
    let mark: NearDuplicate | null = null;
    if (sketch !== undefined) {
      for (const [leader, other] of leaders) mark = moreSimilar(sketch, leader, other, mark, THRESHOLD);
      if (mark === null) leaders.set(judged.length, sketch);
    }
    judged.push({ ...page, sketched: ownWords(page.words, marks), isComparable, mark });
  }
  return judged;
}

const NO_MARKS = new Uint8Array(0);

/** `areComparable`: whether the page has enough text to be compared, and then the same for each similar leader. */
function reasonOf([page, ...leaders]: readonly boolean[], whenSketched: number): Reason {
  if (!page) return 'too little text';
  if (leaders.length === 0) return 'no leader';
  if (!leaders.includes(true)) return 'too little text';
  return whenSketched < ALIKE ? 'other template' : 'estimate';
}

function mostSimilar(texts: readonly SimilarText[]): SimilarText {
  return texts.reduce((best, each) => (each.share > best.share ? each : best));
}
