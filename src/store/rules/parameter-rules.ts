/**
 * How to tell query parameters that never change the content from parameters that do: the rules without a database, the
 * same for every engine. The engines apply them in their `parameters.ts`.
 */
import type { Reason } from '../../core/reasons.ts';
import { urlKeyHex } from '../../url/key.ts';
import { parameterNames, parameterPairs, withoutParameters } from '../../url/query-parameters.ts';
import type { PageRecord, ParameterVerdict, UrlResult } from '../contract.ts';

/** A parameter is ignored from this many pairs of equal pages on, if they are of this many different pages. */
const MIN_PAIRS = 8;
const MIN_PAGES = 3;
export const BASE_KEY_BYTES = 8;
export const DIGEST_BYTES = 16;
/** Parameters stored for one host. Further parameters are fetched like any other. */
export const MAX_PARAMETERS_PER_HOST = 512;
/** Different contents of a group that a further page is compared with. One is enough to find a contradiction. */
const MAX_COMPARED = 8;
/** Pages stored for comparison, for one parameter. */
export const MAX_BASES = 64;
/**
 * Lessons of all hosts that are sent at once, newest first. A URL of an unsent lesson is fetched, which loses nothing.
 */
export const MAX_TOLD = 20_000;
/** The beginning of a page that was cut off says nothing about the rest. */
const CUT_OFF: readonly (Reason | null)[] = ['body-too-large', 'bad-encoding', 'partial-content'];
/** The verdicts that change the behaviour of a unit. */
const TOLD: readonly ParameterVerdict[] = ['probed', 'ignored'];

interface Judged {
  readonly verdict: ParameterVerdict;
}

/** The verdicts on the parameters of a space, by parameter name. */
export type Verdicts = ReadonlyMap<string, Judged>;

export interface Evidence {
  readonly pairs: number;
  /** Different contents, each of one essence. */
  readonly pages: number;
  /** How many of these contents the URL without the parameter also has. */
  readonly bare: number;
}

/** How a URL is compared with others. */
export interface Comparison {
  /** Names of its ignored parameters. */
  readonly ignored: ReadonlySet<string>;
  /** The URL without its ignored parameters. */
  readonly reduced: string;
  /** Names of its parameters without a final verdict. */
  readonly undecided: readonly string[];
  /** The key of the URL without its ignored and undecided parameters. */
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

/** Whether the page of a URL is kept for later comparisons: a parameter of it may be ignored, now or one day. */
export function mayBeVariant(url: string, verdicts: Verdicts): boolean {
  return parameterNames(url).some((name) => verdicts.get(name)?.verdict !== 'matters');
}

/** A page that was fetched, by its URL and the first bytes of the digest of its content. */
export interface FetchedPage {
  readonly id: number;
  readonly url: string;
  /** In hexadecimal digits; null if the URL has no page. */
  readonly digest: string | null;
}

export function fetchedPage({ id, url, page }: UrlResult): FetchedPage {
  return { id, url, digest: page?.digest.slice(0, 2 * DIGEST_BYTES) ?? null };
}

/** A page that differs from another page for which it should stand, and the parameters that may be the reason. */
export interface Contradiction {
  readonly page: FetchedPage;
  readonly names: readonly string[];
}

/**
 * The contradiction between two pages; null if there is none. Nobody can tell which one of several parameters is wrong,
 * so all ignored parameters in which the URLs differ are named.
 */
export function contradictionOf(one: FetchedPage, other: FetchedPage, verdicts: Verdicts): Contradiction | null {
  if (one.digest === other.digest) return null;
  const ignored = new Set([...ignoredOf(one.url, verdicts), ...ignoredOf(other.url, verdicts)]);
  if (withoutParameters(one.url, ignored) !== withoutParameters(other.url, ignored)) return null;
  const names = [...ignored].filter((name) => parameterPairs(one.url, name) !== parameterPairs(other.url, name));
  return names.length === 0 ? null : { page: one, names };
}

/** Returns the contradiction that names fewer parameters. */
export function clearer(one: Contradiction | null, other: Contradiction | null): Contradiction | null {
  if (one === null || other === null) return one ?? other;
  return other.names.length < one.names.length ? other : one;
}

/** Groups the fetched pages of a space by the URL that stands for them, and finds pages that contradict each other. */
export class PageGroups {
  readonly #verdicts: Verdicts;
  /** The first page with each content, by the URL that stands for the pages of the group. */
  readonly #groups = new Map<string, FetchedPage[]>();
  contradiction: Contradiction | null = null;

  constructor(verdicts: Verdicts) {
    this.#verdicts = verdicts;
  }

  /** Returns the URL that stands for the page if the page is the first of its group. */
  add(page: FetchedPage): string | null {
    const reduced = this.reducedOf(page.url);
    const group = this.#groups.get(reduced) ?? [];
    for (const other of group) {
      this.contradiction = clearer(this.contradiction, contradictionOf(page, other, this.#verdicts));
    }
    if (group.length < MAX_COMPARED && !group.some(({ digest }) => digest === page.digest)) group.push(page);
    if (this.#groups.has(reduced)) return null;
    this.#groups.set(reduced, group);
    return reduced === page.url ? null : reduced;
  }

  reducedOf(url: string): string {
    return withoutParameters(url, ignoredOf(url, this.#verdicts));
  }
}

/**
 * Whether there is anything to learn. Soon all parameters of most
 * spaces are decided, and their pages cost nothing more.
 */
export function isOpen(url: string, verdicts: Verdicts): boolean {
  if (verdicts.values().some(({ verdict }) => verdict !== 'matters')) return true;
  return parameterNames(url).some((name) => !verdicts.has(name));
}

/** Whether a page can be compared with others. */
export function isWhole({ reason }: UrlResult, { bytes }: PageRecord): boolean {
  return bytes > 0 && !CUT_OFF.includes(reason);
}

/** The verdict that equal pages give on an undecided parameter; null while there are too few pages. */
export function verdictOn({ pairs, pages, bare }: Evidence): 'probed' | 'ignored' | null {
  if (pairs < MIN_PAIRS || pages < MIN_PAGES) return null;
  return bare < MIN_PAGES ? 'probed' : 'ignored';
}

/** Whether the units must be informed about a change of a verdict. */
export function isTold(before: ParameterVerdict, after: ParameterVerdict): boolean {
  return TOLD.includes(before) || TOLD.includes(after);
}

/** In hexadecimal digits. */
export function baseKey(url: string): string {
  return urlKeyHex(url).slice(0, 2 * BASE_KEY_BYTES);
}

const NO_NAMES: ReadonlySet<string> = new Set();
