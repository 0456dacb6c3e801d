/**
 * How query parameters that never change the content are told from those that do: the rules without a database, the same for
 * every engine. What they make of a crawl is in the engines' `parameters.ts`.
 */
import type { Reason } from '../core/reasons.ts';
import { urlKeyHex } from '../url/key.ts';
import { parameterNames, withoutParameters } from '../url/query-parameters.ts';
import type { PageRecord, ParameterVerdict, UrlResult } from './contract.ts';

/** Pairs of equal pages, and different pages among them, from which on a parameter is taken to be ignored. */
const MIN_PAIRS = 8;
const MIN_PAGES = 3;
export const BASE_KEY_BYTES = 8;
export const DIGEST_BYTES = 16;
/** What is held of one host: the parameters it invents after that are fetched like any other. */
export const MAX_PARAMETERS_PER_HOST = 512;
/** Pages that are kept to be compared with, of one parameter. */
export const MAX_BASES = 64;
/** Lessons of all hosts that are told at once, the newest first: what is not told is fetched, which loses nothing. */
export const MAX_TOLD = 20_000;
/** What is left of a page that was cut off says nothing of the rest. */
const CUT_OFF: readonly (Reason | null)[] = ['body-too-large', 'bad-encoding'];
/** The verdicts that change what a unit does. */
const TOLD: readonly ParameterVerdict[] = ['probed', 'ignored'];

interface Judged {
  readonly verdict: ParameterVerdict;
}

/** What is held of the parameters of a space, by name. */
export type Verdicts = ReadonlyMap<string, Judged>;

export interface Evidence {
  readonly pairs: number;
  /** Different contents, each of one essence. */
  readonly pages: number;
  /** Those of them that the URL without the parameter has, too. */
  readonly bare: number;
}

/** How a URL is compared with others. */
export interface Comparison {
  /** Names of its parameters that are ignored. */
  readonly ignored: ReadonlySet<string>;
  /** The URL without those. */
  readonly reduced: string;
  /** Names of its parameters of which it is not decided whether they matter. */
  readonly undecided: readonly string[];
  /** The key of what is left without both. */
  readonly essence: string;
}

export function comparisonOf(url: string, verdicts: Verdicts): Comparison {
  const ignored = ignoredOf(url, verdicts);
  const reduced = withoutParameters(url, ignored);
  const isUndecided = (name: string) => !ignored.has(name) && verdicts.get(name)?.verdict !== 'matters';
  const undecided = parameterNames(url).filter(isUndecided);
  return { ignored, reduced, undecided, essence: baseKey(withoutParameters(reduced, new Set(undecided))) };
}

export function ignoredOf(url: string, verdicts: Verdicts): ReadonlySet<string> {
  if (verdicts.size === 0) return NO_NAMES;
  return new Set(parameterNames(url).filter((name) => verdicts.get(name)?.verdict === 'ignored'));
}

/** Whether there is anything to learn: soon all is decided at most places, and their pages cost nothing more. */
export function isOpen(url: string, verdicts: Verdicts): boolean {
  if (verdicts.values().some(({ verdict }) => verdict !== 'matters')) return true;
  return parameterNames(url).some((name) => !verdicts.has(name));
}

/** Whether a page can be compared with others. */
export function isWhole({ reason }: UrlResult, { bytes }: PageRecord): boolean {
  return bytes > 0 && !CUT_OFF.includes(reason);
}

/** What equal pages make of a parameter that is not decided; null while they are too few. */
export function verdictOn({ pairs, pages, bare }: Evidence): 'probed' | 'ignored' | null {
  if (pairs < MIN_PAIRS || pages < MIN_PAGES) return null;
  return bare < MIN_PAGES ? 'probed' : 'ignored';
}

/** Whether a change from one verdict to another is to be told. */
export function isTold(before: ParameterVerdict, after: ParameterVerdict): boolean {
  return TOLD.includes(before) || TOLD.includes(after);
}

/** In hexadecimal digits. */
export function baseKey(url: string): string {
  return urlKeyHex(url).slice(0, 2 * BASE_KEY_BYTES);
}

const NO_NAMES: ReadonlySet<string> = new Set();
