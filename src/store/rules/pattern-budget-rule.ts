/**
 * The budget of a path pattern: how many of its URLs may wait, and what its answered URLs have brought. The same for
 * every engine.
 *
 * A pattern begins with room for `--pattern-budget` URLs. A waiting URL takes one place. An answer with something new
 * gives the place back, and an answer without anything new does not. So a calendar ends after as many pages as the
 * budget allows, and a forum never ends while its pages have something to say. URLs that find no room are left out, and
 * wait as soon as there is room again.
 */
import type { Reason } from '../../core/reasons.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import { pathPattern } from '../../url/traps/path-pattern.ts';
import type { FoundUrl, PatternUse, UrlResult, UrlState } from '../contract.ts';

/**
 * Two patterns of one host with the same key share a budget. By chance
 * this takes 2^32 patterns, and it harms only that host.
 */
const PATTERN_KEY_BYTES = 8;
/** New words from which a page counts as new. Fewer are the name of another month, or the filters in a heading. */
const LEAST_NEW_WORDS = 10;
/** One answer with something new makes up for this many without: a pattern lives while one page in ten is new. */
const REGAINED = 9;

export const OVER_BUDGET: Reason = 'trap-pattern-budget';

/** The page on which a URL was found first. */
export interface Finder {
  readonly hostId: number;
  readonly pattern: string | null;
}

export function finderOf({ hostId, url }: { readonly hostId: number; readonly url: string }): Finder {
  return { hostId, pattern: pathPattern(url) };
}

/** The change of a pattern by the answers of one batch. */
export interface PatternAnswers {
  readonly hostId: number;
  readonly pattern: string;
  answered: number;
  productive: number;
  /** Answers without anything new, minus the answers that they are made up for by. */
  barren: number;
}

/** In hexadecimal digits. */
export function patternKey(pattern: string): string {
  return urlKeyHex(pattern).slice(0, PATTERN_KEY_BYTES * 2);
}

/** How many more URLs of a pattern may wait. */
export function roomFor({ known, leftOut, answered, barren }: PatternUse, patternBudget: number): number {
  const waiting = Math.max(0, known - leftOut - answered);
  return Math.max(0, patternBudget - barren - waiting);
}

/** Whether a new URL exceeds the budget of its pattern. `use` does not include the new URL. */
export function judgeBudget({ maxSitemaps }: FoundUrl, use: PatternUse, patternBudget: number): Reason | null {
  if (maxSitemaps === undefined) return roomFor(use, patternBudget) < 1 ? OVER_BUDGET : null;
  return use.known >= maxSitemaps ? 'trap-sitemap-budget' : null;
}

/** `barren` never falls below zero, so a pattern cannot save places for the time when it has nothing more to say. */
export function afterAnswers<T extends PatternUse>(use: T, { answered, productive, barren }: PatternAnswers): T {
  return {
    ...use,
    answered: use.answered + answered,
    productive: use.productive + productive,
    barren: Math.max(0, use.barren + barren),
  };
}

/** Gathers the answers of a batch by pattern. */
export class AnswersByPattern {
  readonly #of = new Map<string, PatternAnswers>();

  /** `state` is the state that the result has led to. */
  add({ hostId, url, page }: UrlResult, state: UrlState): void {
    const pattern = state === 'waiting' ? null : pathPattern(url);
    if (pattern === null) return;
    const answers = this.#in(hostId, pattern);
    answers.answered++;
    if (isNew(page, state)) this.#produce(answers);
    // A URL that is skipped at its turn costs no request.
    else if (state !== 'skipped') answers.barren++;
  }

  /** A page with something new was found on a page of another pattern: the list is as good as the pages it leads to. */
  addTo({ hostId, pattern }: Finder, found: string): void {
    if (pattern !== null && pattern !== pathPattern(found)) this.#produce(this.#in(hostId, pattern));
  }

  get all(): readonly PatternAnswers[] {
    return [...this.#of.values()];
  }

  #produce(answers: PatternAnswers): void {
    answers.productive++;
    answers.barren -= REGAINED;
  }

  #in(hostId: number, pattern: string): PatternAnswers {
    let answers = this.#of.get(pattern);
    if (answers === undefined) {
      answers = { hostId, pattern, answered: 0, productive: 0, barren: 0 };
      this.#of.set(pattern, answers);
    }
    return answers;
  }
}

/** If it is unknown whether the text is new, a page is new unless it is a duplicate. */
export function isNew(page: UrlResult['page'], state: UrlState): boolean {
  if (page === null) return false;
  return page.newWords === undefined ? state === 'fetched' : page.newWords >= LEAST_NEW_WORDS;
}

/** Counts URLs that wait again at the host of their pattern. */
export function countByHost(released: Map<string, number>, pattern: string, count: number): void {
  const host = hostOf(pattern);
  if (count > 0) released.set(host, (released.get(host) ?? 0) + count);
}
