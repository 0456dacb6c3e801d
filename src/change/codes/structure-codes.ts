/** The two structure codes of a page, from the papers. */
import type { PageOutline } from '../../core/page/page-outline.ts';

/**
 * Structure code II (P9): the number of elements on each level of the tree. A different number shows the level on which
 * elements were added or removed. The code does not see an element that moved within its level.
 */

/** The change on one level. The level of the root is 1. */
export interface LevelChange {
  readonly level: number;
  readonly before: number;
  readonly after: number;
  /** `after - before`: the number of added elements, or of removed elements if it is negative. */
  readonly difference: number;
}

/** The number of elements on level 1, 2, 3 … */
export function countLevels({ nodes }: PageOutline): number[] {
  const counts: number[] = [];
  for (const { kind, level } of nodes) {
    if (kind !== 'element' || level === 0) continue;
    while (counts.length < level) counts.push(0);
    counts[level - 1] = (counts[level - 1] as number) + 1;
  }
  return counts;
}

/** The levels whose counts differ, from the root down. */
export function compareLevels(before: readonly number[], after: readonly number[]): LevelChange[] {
  const changes: LevelChange[] = [];
  const levels = Math.max(before.length, after.length);
  for (let at = 0; at < levels; at++) {
    const [was, is] = [before[at] ?? 0, after[at] ?? 0];
    if (was !== is) changes.push({ level: at + 1, before: was, after: is, difference: is - was });
  }
  return changes;
}

/**
 * Structure code I (P8): the first letters and the last letters of the opening tags, in order. A tag of one letter
 * gives its letter to both. The code cannot distinguish tags with the same first and last letter (`td`, `thead`).
 */
export interface StructureLetters {
  readonly first: string;
  readonly last: string;
}

export function structureLetters({ nodes }: PageOutline): StructureLetters {
  let first = '';
  let last = '';
  for (const { kind, level, name } of nodes) {
    if (kind !== 'element' || level === 0) continue;
    first += name.charAt(0);
    last += name.charAt(name.length - 1);
  }
  return { first, last };
}

export function sameLetters(before: StructureLetters, after: StructureLetters): boolean {
  return before.first === after.first && before.last === after.last;
}
