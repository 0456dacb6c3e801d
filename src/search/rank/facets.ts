/** Divides the matches of a query by host, type, language and year. In: sets of pages. Out: exact counts. */
import type { OpenIndex } from '../index/index-reader.ts';
import type { PageBits } from '../index/page-bits.ts';

export const FACETS = ['host', 'fileType', 'language', 'year'] as const;
export type FacetName = (typeof FACETS)[number];

export interface FacetCount {
  readonly value: string;
  readonly pages: number;
}

export type Facets = Readonly<Record<FacetName, readonly FacetCount[]>>;

/** More values of a facet help nobody. */
const MAX_VALUES = 20;

export function countFacets({ segments }: OpenIndex, matches: readonly PageBits[]): Facets {
  const counts: Record<FacetName, Map<string, number>> = {
    host: new Map(),
    fileType: new Map(),
    language: new Map(),
    year: new Map(),
  };
  for (const [i, { segment }] of segments.entries()) {
    const { hosts, fileTypes, languages, wide, narrow } = segment.columns;
    const ofSegment = {
      host: new Uint32Array(hosts.length),
      fileType: new Uint32Array(fileTypes.length),
      language: new Uint32Array(languages.length),
    };
    const years = new Map<number, number>();
    for (const page of matches[i]!.toArray()) {
      count(ofSegment.host, wide.host[page] as number);
      count(ofSegment.fileType, narrow.fileType[page] as number);
      count(ofSegment.language, narrow.language[page] as number);
      const year = yearOf(wide.fetched[page] as number);
      years.set(year, (years.get(year) ?? 0) + 1);
    }
    addNamed(counts.host, hosts, ofSegment.host);
    addNamed(counts.fileType, fileTypes, ofSegment.fileType);
    addNamed(counts.language, languages, ofSegment.language);
    for (const [year, pages] of years) counts.year.set(String(year), (counts.year.get(String(year)) ?? 0) + pages);
  }
  const named = Object.entries(counts).map(([name, values]) => [name, largest(values)]);
  return Object.fromEntries(named) as Facets;
}

function count(counts: Uint32Array, value: number): void {
  counts[value] = (counts[value] as number) + 1;
}

function addNamed(sums: Map<string, number>, names: readonly string[], counts: Uint32Array): void {
  for (const [i, name] of names.entries()) {
    if (counts[i] !== 0) sums.set(name, (sums.get(name) ?? 0) + (counts[i] as number));
  }
}

function largest(values: ReadonlyMap<string, number>): FacetCount[] {
  const counts = [...values].map(([value, pages]) => ({ value, pages }));
  counts.sort((a, b) => b.pages - a.pages || (a.value < b.value ? -1 : 1));
  return counts.slice(0, MAX_VALUES);
}

/** The second at which each year begins. A Date for each page would take most of the time. */
const FIRST_YEAR = 1970;
const YEAR_STARTS = Float64Array.from({ length: 200 }, (_, i) => Date.UTC(FIRST_YEAR + i, 0) / 1_000);
const SECONDS_A_YEAR = 31_556_952;

function yearOf(seconds: number): number {
  let year = Math.min(YEAR_STARTS.length - 2, Math.floor(seconds / SECONDS_A_YEAR));
  while (year > 0 && seconds < (YEAR_STARTS[year] as number)) year--;
  while (seconds >= (YEAR_STARTS[year + 1] as number)) year++;
  return FIRST_YEAR + year;
}
