/**
 * Compares two versions of a page: decides (decide.ts) and describes. In: the bytes and the outline of both, hashes of
 * their images if known, and a function that removes noise. Out: the level of the change, and which kinds of things
 * changed, where and how much (page-change.ts).
 *
 * What always holds: the description never decides, so it can be made later, or never. The time is nearly linear,
 * whatever the pages are.
 */
import type { PageOutline } from '../core/page/page-outline.ts';
import { compareLevels, countLevels } from './codes/structure-codes.ts';
import { type Decision, decide, type IgnoreNoise } from './decide.ts';
import { type ChangedWords, countChangedWords } from './diff/changed-words.ts';
import { NodeChanges } from './node-changes.ts';
import type { ChangeBand, PageChange, PageVersion } from './page-change.ts';
import { readableTexts } from './readable-text.ts';
import { compareAround, compareShingles, FEATURES, type SharedText, shinglesOf } from './shingles.ts';
import { MAX_WORDS, type WordHashes, wordsOf } from './words.ts';

/** The minimum number of shared features for each band. */
const BAND_LIMITS: readonly (readonly [from: number, band: ChangeBand])[] = [
  [FEATURES, 'no-text'],
  [57, 'small'],
  [29, 'medium'],
  [1, 'large'],
  [0, 'complete'],
];

/** The decision, and the description of the change. */
export function compareVersions(
  before: PageVersion,
  after: PageVersion,
  ignoring?: IgnoreNoise,
  checkBudget: () => void = () => {},
): ComparedVersions {
  const decision = decide(before, after, ignoring, checkBudget);
  const { verdict, level, part } = decision;
  return { verdict, level, part, ...describe(before, after, decision, checkBudget) };
}

export type ComparedVersions = PageChange & Pick<Decision, 'verdict' | 'level' | 'part'>;

/** Describes a change for people. `checkBudget` is called between the steps and may throw. */
export function describe(
  before: PageVersion,
  after: PageVersion,
  { verdict, outlines, images }: Decision,
  checkBudget: () => void = () => {},
): PageChange {
  const hasSameBytes = before.bytes.equals(after.bytes);
  if (verdict === 'identical') return unchanged([], 'none');
  if (verdict === 'noise') return unchanged(['other'], 'no-text');
  // Without outlines it is only known that the bytes differ, or which images.
  if (outlines === null) return hasSameBytes ? unchanged(['images'], 'none') : replaced();
  const changes = new NodeChanges(...outlines);
  for (const url of images) changes.addImage(url);
  checkBudget();
  const change = describeNodes(...outlines, changes);
  if (hasSameBytes) return { ...change, band: 'none' };
  checkBudget();
  return { ...change, ...wordsBetween(before, after) };
}

function describeNodes(before: PageOutline, after: PageOutline, changes: NodeChanges): PageChange {
  const { textBefore, textAfter } = changes;
  const text = textBefore === textAfter ? ALL_SHARED : compareTexts(before, after);
  return {
    kinds: changes.kinds,
    levels: compareLevels(countLevels(before), countLevels(after)),
    regions: changes.regions,
    ...text,
    band: bandOf(text.sharedFeatures),
    ...NO_WORDS,
  };
}

const NO_WORDS: ChangedWords = { wordsAdded: 0, wordsRemoved: 0 };

function wordsBetween(before: PageVersion, after: PageVersion): ChangedWords {
  if (before.readable === undefined || after.readable === undefined) return NO_WORDS;
  return countChangedWords(before.readable(), after.readable()) ?? NO_WORDS;
}

const ALL_SHARED: SharedText = { shared: 1, sharedFeatures: FEATURES };

export function bandOf(sharedFeatures: number): ChangeBand {
  return (BAND_LIMITS.find(([from]) => sharedFeatures >= from) as readonly [number, ChangeBand])[1];
}

/** The common beginning and the common end of both texts are read only once. */
function compareTexts(before: PageOutline, after: PageOutline): SharedText {
  const [was, is] = [readableTexts(before), readableTexts(after)];
  const most = Math.min(was.length, is.length);
  let start = 0;
  while (start < most && was[start] === is[start]) start++;
  let end = 0;
  while (end < most - start && was.at(-end - 1) === is.at(-end - 1)) end++;
  const common = [wordsIn(was.slice(0, start)), wordsIn(was.slice(was.length - end))] as const;
  const middle = [wordsIn(was.slice(start, was.length - end)), wordsIn(is.slice(start, is.length - end))] as const;
  const isAll = [...common, ...middle].reduce((sum, { count }) => sum + count, 0) < MAX_WORDS;
  const shared = isAll ? compareAround(common[0], ...middle, common[1]) : null;
  return shared ?? compareShingles(shinglesOf(wordsIn(was)), shinglesOf(wordsIn(is)));
}

/** The line break after each text keeps a word from continuing in the next text. */
function wordsIn(texts: readonly string[]): WordHashes {
  return wordsOf(`${texts.join('\n')}\n`);
}

function unchanged(kinds: PageChange['kinds'], band: ChangeBand): PageChange {
  return { kinds, levels: [], regions: [], ...ALL_SHARED, band, ...NO_WORDS };
}

/** The description of a document without an outline: it is only known that the bytes differ. */
export function replaced(): PageChange {
  const shown = { levels: [], regions: [], ...NO_WORDS };
  return { kinds: ['other'], ...shown, shared: 0, sharedFeatures: 0, band: 'complete' };
}
