/** Lines that changed, word by word. In: the old lines and the new ones. Out: pieces that make up both, exactly. */
import { alignTokens } from './align.ts';
import { differentPart } from './different-part.ts';
import { wordEdges } from './edges.ts';
import { mergeCrumbs } from './merge-crumbs.ts';
import type { StepBudget } from './myers.ts';
import { type DiffPiece, PieceList } from './piece.ts';
import { type Run, rangesBetween } from './run.ts';
import { slideEdits } from './slide.ts';
import { gapStart, splitWords, TokenNames, type Tokens, textBetween } from './tokens.ts';

/** The words of a longer stretch take seconds to tell apart: it is shown as replaced but for what it begins and ends with. */
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
  // Again: where crumbs went, larger edits are free to slide.
  const runs = slideEdits(a.ids, b.ids, merged, edges);
  rangesBetween(runs, { aFrom: 0, aTo: a.count, bFrom: 0, bTo: b.count }).forEach((range, i) => {
    pieces.remove(textBetween(a, range.aFrom, range.aTo));
    pieces.add(textBetween(b, range.bFrom, range.bTo));
    if (i < runs.length) keepRun(pieces, a, b, runs[i]!);
  });
}

/** The words of a run are the same, the white space before each need not be. */
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
