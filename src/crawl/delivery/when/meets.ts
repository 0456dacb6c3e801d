/**
 * Says whether a change meets a condition of `--when`. In: the condition, and the texts of both versions. Out: yes or
 * no, always the same for the same texts. The time is linear in the length of the texts, and only their beginnings
 * count.
 */
import { ANY_NUMBER, type Clause, type Condition, plainText } from './condition.ts';
import { numbersIn } from './numbers-in.ts';

/** The title and the readable text of a version. */
export type VersionWords = string;

/** As much as a person would read. */
const MAX_CHARS = 1_000_000;
/** The number belongs to its name if it begins this close behind it. */
const NEAR_CHARS = 60;
/** A name on a page is followed by its number in one of its first occurrences. */
const MAX_OCCURRENCES = 1_000;

/** `before` is null for a new page. */
export function meets(condition: Condition, before: VersionWords | null, after: VersionWords): boolean {
  const was = before === null ? null : plainText(before.slice(0, MAX_CHARS));
  const is = plainText(after.slice(0, MAX_CHARS));
  return condition.every((clause) => holds(clause, was, is));
}

function holds(clause: Clause, was: string | null, is: string): boolean {
  switch (clause.test) {
    case 'contains':
      return is.includes(clause.words);
    case 'lacks':
      return !is.includes(clause.words);
    case 'appeared':
      return is.includes(clause.words) && was?.includes(clause.words) !== true;
    case 'disappeared':
      return was?.includes(clause.words) === true && !is.includes(clause.words);
    case 'dropped':
    case 'rose':
    case 'changed':
      return movesOf(clause.name, was, is).some(([old, now]) => isMove(clause, old, now));
    default:
      return valuesOf(clause.name, is).some((value) => compares(clause.test, value, clause.value));
  }
}

function compares(sign: '<' | '<=' | '>' | '>=' | '=' | '!=', value: number, limit: number): boolean {
  if (sign === '<') return value < limit;
  if (sign === '<=') return value <= limit;
  if (sign === '>') return value > limit;
  if (sign === '>=') return value >= limit;
  return sign === '=' ? value === limit : value !== limit;
}

function isMove(
  { test, by, isPercent }: { readonly test: string; readonly by: number; readonly isPercent: boolean },
  old: number,
  now: number,
): boolean {
  if (old === now) return false;
  if (test === 'dropped' && now > old) return false;
  if (test === 'rose' && now < old) return false;
  const moved = Math.abs(now - old);
  // Prices are decimal fractions: 10 % of 19.90 must be reached by 17.91.
  return moved >= (isPercent ? (Math.abs(old) * by) / 100 : by) - 1e-9;
}

/** The first number behind the name; all numbers for `number`. */
function valuesOf(name: string, text: string): number[] {
  if (name === ANY_NUMBER) return numbersIn(text).map(({ value }) => value);
  let from = text.indexOf(name);
  for (let tries = 0; from >= 0 && tries < MAX_OCCURRENCES; tries++) {
    const end = from + name.length;
    const [found] = numbersIn(text.slice(end, end + 2 * NEAR_CHARS), 0, NEAR_CHARS);
    if (found !== undefined) return [found.value];
    from = text.indexOf(name, end);
  }
  return [];
}

/** Pairs of the earlier and the new number. */
function movesOf(name: string, was: string | null, is: string): [number, number][] {
  if (was === null) return [];
  const [old, now] = [valuesOf(name, was), valuesOf(name, is)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  // If numbers were added or removed, nobody knows which of the new ones continues which of the old ones.
  return removed.length === added.length ? removed.map((value, i) => [value, added[i]!]) : [];
}
