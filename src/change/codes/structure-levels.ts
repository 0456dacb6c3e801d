/**
 * Structure code II (P9): how many elements stand on each level of the tree. Where two versions differ says where elements came or
 * went; an element that moved on its level is not seen.
 */
import type { PageOutline } from '../../core/page-outline.ts';

/** On one level, of which the root's is 1. */
export interface LevelChange {
  readonly level: number;
  readonly before: number;
  readonly after: number;
  /** `after - before`: how many came, or, below zero, went. */
  readonly difference: number;
}

/** The elements on level 1, 2, 3 … */
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
