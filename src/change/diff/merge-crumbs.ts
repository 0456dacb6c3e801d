/**
 * Merges crumbs into the changes around them. A crumb is a short unchanged run, no longer than the
 * changes on both of its sides. Even two unrelated sentences share an "of" and a comma. Crumbs count as
 * changed, so that a new sentence reads as one change.
 */
import { type Run, rangesBetween, type TokenRange } from './run.ts';
import type { Tokens } from './tokens.ts';

/** About four words. A longer run is not an accident, however much changed around it. */
const MAX_CRUMB_CHARS = 20;

/** The number of characters that were removed and added between two runs. */
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
