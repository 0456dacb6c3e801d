/**
 * Structure code II (P9): the number of elements on each level of the tree. A different number shows the level on which
 * elements were added or removed. The code does not see an element that moved within its level.
 */
import type { PageOutline } from '../../core/page-outline.ts';

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
