/** Compares changed lines word by word. In: the old lines and the new lines. Out: pieces that make up both exactly. */
import { alignTokens } from './align.ts';
import { slideEdits, wordEdges } from './edit-boundaries.ts';
import type { StepBudget } from './myers.ts';
import { type DiffPiece, PieceList } from './piece.ts';
import { type Run, rangesBetween, type TokenRange } from './run.ts';
import { gapStart, splitWords, TokenNames, type Tokens, textBetween } from './tokens.ts';

/**
 * Comparing the words of a longer text takes seconds, so it is shown as
 * replaced except for its common beginning and end.
 */
const MAX_WORD_CHARS = 2_000_000;

export function diffWords(old: string, young: string, budget: StepBudget): DiffPiece[] {
  const pieces = new PieceList();
  if (old === '' || young === '') {
    pieces.remove(old);
    pieces.add(young);
  } else if (old.length + young.length <= MAX_WORD_CHARS) compareWords(old, young, budget, pieces);
  else {
    const { from, toOld, toNew } = differentPart(old, young);
    const [gone, come] = [old.slice(from, toOld), young.slice(from, toNew)];
    pieces.keep(old.slice(0, from));
    if (gone.length + come.length <= MAX_WORD_CHARS) compareWords(gone, come, budget, pieces);
    else {
      pieces.remove(gone);
      pieces.add(come);
    }
    pieces.keep(old.slice(toOld));
  }
  return pieces.take();
}

function compareWords(old: string, young: string, budget: StepBudget, pieces: PieceList): void {
  const names = new TokenNames();
  const [a, b] = [splitWords(old, names), splitWords(young, names)];
  const aligned = alignTokens(a.ids, b.ids, { anchorsFirst: false, budget });
  const edges = wordEdges(a, b);
  const merged = mergeCrumbs(a, b, slideEdits(a.ids, b.ids, aligned, edges));
  // Slides again: without the crumbs, the larger edits have more room to move.
  const runs = slideEdits(a.ids, b.ids, merged, edges);
  rangesBetween(runs, { aFrom: 0, aTo: a.count, bFrom: 0, bTo: b.count }).forEach((range, i) => {
    pieces.remove(textBetween(a, range.aFrom, range.aTo));
    pieces.add(textBetween(b, range.bFrom, range.bTo));
    if (i < runs.length) keepRun(pieces, a, b, runs[i]!);
  });
}

/** The words of a run are equal, but the white space before each may differ. */
function keepRun(pieces: PieceList, a: Tokens, b: Tokens, run: Run): void {
  const whole = textBetween(a, run.a, run.a + run.length);
  if (whole === textBetween(b, run.b, run.b + run.length)) {
    pieces.keep(whole);
    return;
  }
  for (let i = 0; i < run.length; i++) {
    const [oldSpace, newSpace] = [spaceBefore(a, run.a + i), spaceBefore(b, run.b + i)];
    if (oldSpace === newSpace) pieces.keep(oldSpace);
    else {
      pieces.remove(oldSpace);
      pieces.add(newSpace);
    }
    pieces.keep(a.text.slice(a.starts[run.a + i], a.ends[run.a + i]));
  }
}

function spaceBefore(tokens: Tokens, token: number): string {
  return tokens.text.slice(gapStart(tokens, token), tokens.starts[token]);
}

/** Finds the part in which two texts differ without splitting them into words, for texts that are too long for that. */
interface DifferentPart {
  /** Start of the different part in both texts. The text before it is the same. */
  readonly from: number;
  /** Ends of the different part. The text after it is the same. */
  readonly toOld: number;
  readonly toNew: number;
}

/** A word is not cut in two, unless it is longer than this. */
const LONGEST_WORD = 100;

function differentPart(old: string, young: string): DifferentPart {
  const shorter = Math.min(old.length, young.length);
  let same = 0;
  while (same < shorter && old.charCodeAt(same) === young.charCodeAt(same)) same++;
  const from = endOfSpace(old, same);
  let left = shorter - from;
  let behind = 0;
  const [lastOld, lastNew] = [old.length - 1, young.length - 1];
  while (left > 0 && old.charCodeAt(lastOld - behind) === young.charCodeAt(lastNew - behind)) {
    behind++;
    left--;
  }
  const toOld = startOfSpace(old, old.length - behind);
  return { from, toOld, toNew: toOld + young.length - old.length };
}

/** The last index up to `at` that follows white space. */
function endOfSpace(text: string, at: number): number {
  for (let place = at; place > 0 && at - place < LONGEST_WORD; place--) {
    if (isSpace(text, place - 1)) return place;
  }
  return isSecondHalf(text, at) ? at - 1 : at;
}

/** The first index from `at` on that is followed by white space. */
function startOfSpace(text: string, at: number): number {
  for (let place = at; place < text.length && place - at < LONGEST_WORD; place++) {
    if (isSpace(text, place)) return place;
  }
  return isSecondHalf(text, at) ? at + 1 : at;
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 32;
}

/** Whether the character is the second half of a surrogate pair. */
function isSecondHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/**
 * Merges crumbs into the changes around them. A crumb is a short unchanged run, no longer than the
 * changes on both of its sides. Even two unrelated sentences share an "of" and a comma. Crumbs count as
 * changed, so that a new sentence reads as one change.
 */

/** About four words. A longer run is not an accident, however much changed around it. */
const MAX_CRUMB_CHARS = 20;

/** The number of characters that were removed and added between two runs. */
interface Change {
  readonly removed: number;
  readonly added: number;
}

function mergeCrumbs(old: Tokens, young: Tokens, runs: readonly Run[]): Run[] {
  const whole = { aFrom: 0, aTo: old.count, bFrom: 0, bTo: young.count };
  const changes = rangesBetween(runs, whole).map((range) => changeIn(old, young, range));
  const kept: { run: Run; before: Change }[] = [];
  for (const [i, run] of runs.entries()) kept.push({ run, before: dropCrumbs(old, kept, changes[i]!) });
  dropCrumbs(old, kept, changes.at(-1)!);
  return kept.map(({ run }) => run);
}

/**
 * Removes crumbs from the end of `kept` while the changes around them outweigh them. Returns the following change,
 * enlarged by the removed crumbs.
 */
function dropCrumbs(old: Tokens, kept: { run: Run; before: Change }[], following: Change): Change {
  let after = following;
  for (;;) {
    const last = kept.at(-1);
    if (last === undefined) return after;
    const chars = charsOf(old, last.run.a, last.run.a + last.run.length);
    const between = Math.min(weight(last.before), weight(after));
    if (between === 0 || chars > Math.min(MAX_CRUMB_CHARS, between)) return after;
    kept.pop();
    after = {
      removed: last.before.removed + chars + after.removed,
      added: last.before.added + chars + after.added,
    };
  }
}

function changeIn(old: Tokens, young: Tokens, { aFrom, aTo, bFrom, bTo }: TokenRange): Change {
  return { removed: charsOf(old, aFrom, aTo), added: charsOf(young, bFrom, bTo) };
}

function weight({ removed, added }: Change): number {
  return Math.max(removed, added);
}

/**
 * The characters of tokens, without the white space between them. Counting stops when the run is too long for a crumb.
 */
function charsOf({ starts, ends }: Tokens, from: number, to: number): number {
  let chars = 0;
  for (let i = from; i < to && chars <= MAX_CRUMB_CHARS; i++) chars += ends[i]! - starts[i]!;
  return chars;
}
