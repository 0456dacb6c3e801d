/**
 * Structure code I (P8): the first letters and the last letters of the opening tags, in order. A tag of one letter
 * gives its letter to both. The code cannot distinguish tags with the same first and last letter (`td`, `thead`).
 */
import type { PageOutline } from '../../core/page-outline.ts';

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
