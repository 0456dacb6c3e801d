/**
 * Compares two versions of a page.
 *
 * In: the bytes and the outline of both, hashes of their images if known, and a function that removes noise. Out:
 * whether something changed, which kinds of things, where and how much (page-change.ts).
 *
 * What always holds: the verdict comes from comparing everything node by node, never from a code (P14). A test checks
 * that the hashes of version-hashes.ts give the same verdict. No difference in bytes goes unnoticed: the verdict is at
 * least `noise`. The time is nearly linear, whatever the pages are.
 */
import type { PageOutline } from '../core/page/page-outline.ts';
import { compareLevels, countLevels } from './codes/structure-codes.ts';
import { type ChangedWords, countChangedWords } from './diff/changed-words.ts';
import { NodeChanges } from './node-changes.ts';
import type { ChangeBand, ChangeVerdict, PageChange, PageVersion } from './page-change.ts';
import { readableTexts } from './readable-text.ts';
import { compareAround, compareShingles, FEATURES, type SharedText, shinglesOf } from './shingles.ts';
import { changedImages } from './version-hashes.ts';
import { MAX_WORDS, type WordHashes, wordsOf } from './words.ts';

/** The minimum number of shared features for each band. */
const BAND_LIMITS: readonly (readonly [from: number, band: ChangeBand])[] = [
  [FEATURES, 'no-text'],
  [57, 'small'],
  [29, 'medium'],
  [1, 'large'],
  [0, 'complete'],
];

/**
 * `ignoring` returns an outline without its noise. It may remove nodes and shorten texts, but the `parent` numbers must
 * stay correct. `checkBudget` is called between the steps and may throw.
 */
export function compareVersions(
  before: PageVersion,
  after: PageVersion,
  ignoring: (outline: PageOutline) => PageOutline = (outline) => outline,
  checkBudget: () => void = () => {},
): PageChange {
  const images = changedImages(before.images, after.images);
  const hasSameBytes = before.bytes.equals(after.bytes);
  if (hasSameBytes && images.length === 0) return unchanged('identical', 'none');
  if (before.outline === null || after.outline === null) return hasSameBytes ? redrawn() : replaced();
  const was = ignoring(before.outline);
  const is = ignoring(after.outline);
  checkBudget();
  const changes = new NodeChanges(was, is);
  for (const url of images) changes.addImage(url);
  if (!changes.hasAny) return unchanged('noise', 'no-text');
  checkBudget();
  const change = describe(was, is, changes);
  if (hasSameBytes) return { ...change, band: 'none' };
  checkBudget();
  return { ...change, ...wordsBetween(before, after) };
}

function describe(before: PageOutline, after: PageOutline, changes: NodeChanges): PageChange {
  const { textBefore, textAfter } = changes;
  const text = textBefore === textAfter ? ALL_SHARED : compareTexts(before, after);
  return {
    verdict: 'changed',
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

function unchanged(verdict: ChangeVerdict, band: ChangeBand): PageChange {
  const kinds = verdict === 'identical' ? [] : (['other'] as const);
  return { verdict, kinds, levels: [], regions: [], ...ALL_SHARED, band, ...NO_WORDS };
}

/** The result for a document without an outline if only images changed. */
function redrawn(): PageChange {
  return { ...unchanged('changed', 'none'), kinds: ['images'] };
}

/** The result for a document without an outline: it is only known that the bytes differ. */
export function replaced(): PageChange {
  const shown = { levels: [], regions: [], ...NO_WORDS };
  return { verdict: 'changed', kinds: ['other'], ...shown, shared: 0, sharedFeatures: 0, band: 'complete' };
}
