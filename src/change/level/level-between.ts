/**
 * Classifies the difference between two outlines without noise. In: the outlines. Out: the level of the change
 * (core/page/change-class.ts), and whether the own content of the page has changed or only the template of its host.
 */
import type { ChangeLevel, ChangePart } from '../../core/page/change-class.ts';
import type { PageOutline } from '../../core/page/page-outline.ts';
import { longestRise } from '../longest-rise.ts';
import { markupOf } from './markup-view.ts';
import { ReaderView, textOfLine } from './reader-view.ts';

/** Whether a line of a page is part of the template of its host. */
export type TemplateTest = (line: string) => boolean;

export interface TemplateTests {
  readonly before: TemplateTest;
  readonly after: TemplateTest;
}

export interface ContentChange {
  readonly level: 'content';
  readonly part: ChangePart | null;
}

/**
 * Null if a reader sees and follows the same in both. A page of which nothing is watched is null: it differs from every
 * page of which something is. `templates` is called only if the content differs.
 */
export function contentBetween(
  before: PageOutline | null,
  after: PageOutline | null,
  templates: () => TemplateTests | null,
): ContentChange | null {
  if (before === null || after === null) return before === after ? null : { level: 'content', part: null };
  const was = new ReaderView(before);
  const is = new ReaderView(after);
  if (was.text === is.text) return null;
  const tests = templates();
  return { level: 'content', part: tests === null ? null : partBetween(was.lines(), is.lines(), tests) };
}

/** The level of a change that is no content. */
export function levelOfMarkup(before: PageOutline, after: PageOutline): ChangeLevel {
  return markupOf(before) === markupOf(after) ? 'hidden' : 'layout';
}

/**
 * Lines at the same place are compared. If all lines that a place had were template, its new lines are template too:
 * a new footer is not known as template until several pages have it.
 */
export function partBetween(
  was: readonly string[],
  is: readonly string[],
  { before, after }: TemplateTests,
): ChangePart {
  let wasFrom = 0;
  let isFrom = 0;
  for (const [wasTo, isTo] of [...sharedLines(was, is), [was.length, is.length] as const]) {
    const removed = was.slice(wasFrom, wasTo).map(textOfLine);
    const added = is.slice(isFrom, isTo).map(textOfLine);
    const isTemplate = removed.length > 0 ? removed.every(before) : added.every(after);
    if (!isTemplate && removed.length + added.length > 0) return 'own';
    wasFrom = wasTo + 1;
    isFrom = isTo + 1;
  }
  return 'template';
}

/** Pairs of places of equal lines, in rising order: lines at both ends, and lines that are unique in each version. */
function sharedLines(was: readonly string[], is: readonly string[]): (readonly [number, number])[] {
  const most = Math.min(was.length, is.length);
  let start = 0;
  while (start < most && was[start] === is[start]) start++;
  let end = 0;
  while (end < most - start && was.at(-end - 1) === is.at(-end - 1)) end++;
  const places = onlyOnce(is, start, is.length - end);
  const pairs: [number, number][] = [];
  for (const [line, at] of onlyOnce(was, start, was.length - end)) {
    const other = places.get(line) ?? -1;
    if (at >= 0 && other >= 0) pairs.push([at, other]);
  }
  const head = Array.from({ length: start }, (_, at) => [at, at] as const);
  const tail = Array.from({ length: end }, (_, at) => [was.length - end + at, is.length - end + at] as const);
  return [...head, ...longestRise(pairs, (pair) => pair[1]), ...tail];
}

/** The place of each line, or -1 if the line occurs more than once. */
function onlyOnce(lines: readonly string[], from: number, to: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let at = from; at < to; at++) places.set(lines[at] as string, places.has(lines[at] as string) ? -1 : at);
  return places;
}
