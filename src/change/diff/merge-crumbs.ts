/**
 * Two sentences that say different things share an "of" and a comma all the same. A run of words that is no longer than the
 * changes on both its sides is such a crumb: it is taken for changed with them, so that a new sentence reads as one.
 */
import { type Run, rangesBetween, type TokenRange } from './run.ts';
import type { Tokens } from './tokens.ts';

/** Some four words: so many in a row are no accident, however much changed around them. */
const MAX_CRUMB_CHARS = 20;

/** Characters that were removed and added between two runs. */
interface Change {
  readonly removed: number;
  readonly added: number;
}

export function mergeCrumbs(old: Tokens, young: Tokens, runs: readonly Run[]): Run[] {
  const whole = { aFrom: 0, aTo: old.count, bFrom: 0, bTo: young.count };
  const changes = rangesBetween(runs, whole).map((range) => changeIn(old, young, range));
  const kept: { run: Run; before: Change }[] = [];
  for (const [i, run] of runs.entries()) kept.push({ run, before: dropCrumbs(old, kept, changes[i]!) });
  dropCrumbs(old, kept, changes.at(-1)!);
  return kept.map(({ run }) => run);
}

/** Takes crumbs off the end of `kept` as long as the change after them outweighs them. Returns that change, grown by them. */
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

/** Of tokens, without the white space between them; long runs are not looked through. */
function charsOf({ starts, ends }: Tokens, from: number, to: number): number {
  let chars = 0;
  for (let i = from; i < to && chars <= MAX_CRUMB_CHARS; i++) chars += ends[i]! - starts[i]!;
  return chars;
}
