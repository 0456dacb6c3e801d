/** Search results for programs. In: the answer of a search over a copy. Out: plain objects that stay as they are. */
import type { CopyAnswer, CopyResult, CopySearch, SearchedTime } from '../copy/search/search-copy.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { FacetName } from '../search/rank/facets.ts';

export interface SearchSettings {
  /** Number of results. The default is 10. */
  readonly limit?: number;
  /** Leaves out so many results from the beginning. */
  readonly offset?: number;
  /** At most so many results of each host. */
  readonly perHost?: number;
  /** Also counts all matches by host, file type, language and year. */
  readonly facets?: boolean;
  /** Also pages that ask not to be shown by search engines. */
  readonly noindex?: boolean;
  /** Lets the words of the best pages count, too. */
  readonly feedback?: boolean;
  /** Searches the pages as they were at this time. Needs the index of versions (`orbweaver index --versions`). */
  readonly at?: Date;
  /** Searches all stored versions of the pages. Needs the index of versions. */
  readonly versions?: boolean;
}

/** A search for similar pages: the settings of a search of the pages as they are now. */
export interface SimilarSettings extends Omit<SearchSettings, 'at' | 'versions' | 'feedback'> {
  /** Only pages that this query finds. */
  readonly query?: string;
}

export interface SearchResults {
  /** The number of all matches. */
  readonly total: number;
  readonly results: readonly SearchResult[];
  /** Sentences about parts of the query that were read in another way than they were written. */
  readonly notes: readonly string[];
  /** The query with corrected words; null if nothing better is known. */
  readonly didYouMean: string | null;
  /** Null unless they were asked for. */
  readonly facets: Readonly<Record<FacetName, readonly { readonly value: string; readonly pages: number }[]>> | null;
}

export interface SearchResult {
  readonly url: string;
  readonly title: string;
  /** The passage that shows why the page was found. It is text, not HTML. */
  readonly snippet: string;
  /** Where the words of the query are in the snippet. */
  readonly marks: readonly { readonly from: number; readonly to: number }[];
  /** Whether the page has all words of the query. */
  readonly hasAll: boolean;
  readonly score: number;
  /** Two or three letters; '' if it is unknown. */
  readonly language: string;
  readonly fileType: string;
  /** For a stored version: the time of its first response. */
  readonly fetchedAt: Date;
  /** The time until which the version was current; null for a page as it is now. */
  readonly until: Date | null;
  /** With `versions`: all versions of the page that match, the newest first. Otherwise empty. */
  readonly versions: readonly { readonly fetchedAt: Date; readonly until: Date | null }[];
}

const DEFAULT_LIMIT = 10;
const MOST_RESULTS = 1_000;
const MOST_OFFSET = 100_000;

export function searchFor(text: string, settings: SearchSettings): CopySearch {
  const { limit = DEFAULT_LIMIT, offset = 0, perHost = null } = settings;
  const { facets = false, noindex = false, feedback = false } = settings;
  if (typeof text !== 'string') throw new OrbweaverError('ERR_BAD_OPTION', 'search() needs a query as a text');
  checkNumber('limit', limit, MOST_RESULTS);
  checkNumber('offset', offset, MOST_OFFSET);
  if (perHost !== null) checkNumber('perHost', perHost, MOST_RESULTS);
  return {
    ...{ text, limit, offset, perHost },
    ...{ withFacets: facets, withNoindex: noindex, withFeedback: feedback, explains: false },
  };
}

/** Which pages the settings name. */
export function timeOf({ at, versions = false }: SearchSettings): SearchedTime {
  if (at === undefined) return versions ? 'ever' : 'now';
  const atMs = at instanceof Date ? at.getTime() : Number.NaN;
  if (Number.isNaN(atMs)) throw new OrbweaverError('ERR_BAD_OPTION', 'search() needs a valid date for at');
  if (versions) throw new OrbweaverError('ERR_BAD_OPTION', 'search() needs either at or versions, not both');
  return { atMs };
}

function checkNumber(name: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= most) return;
  throw new OrbweaverError('ERR_BAD_OPTION', `search() needs a ${name} that is a whole number from 0 to ${most}`);
}

export function toSearchResults({ total, results, notes, didYouMean, facets }: CopyAnswer): SearchResults {
  return {
    total,
    results: results.map(toSearchResult),
    notes: notes.map(({ message }) => message),
    didYouMean,
    facets,
  };
}

function toSearchResult({ fetchedAtMs, scoreParts: _, versions, ...result }: CopyResult): SearchResult {
  const { untilMs, matching } = versions ?? { untilMs: null, matching: [] };
  const times = { fetchedAt: new Date(fetchedAtMs), until: dateOrNull(untilMs) };
  const others = matching.map(({ fromMs, untilMs: end }) => ({ fetchedAt: new Date(fromMs), until: dateOrNull(end) }));
  return { ...result, ...times, versions: others };
}

function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
