/**
 * An index of which only some pages count. In: an open index of versions, and the versions that count. Out: an index
 * that answers as if it had only these. Nothing is copied: each segment gets another set of live pages.
 */
import { describeIndex, type LiveSegment, type OpenIndex } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';

export interface VersionOfUrl {
  readonly id: number;
  readonly urlId: number;
  readonly fromMs: number;
}

/** The texts of links describe the newest of these versions of the page that they lead to. */
export function narrowIndex(index: OpenIndex, versions: readonly VersionOfUrl[]): OpenIndex {
  const bits = index.segments.map(({ segment }) => new PageBits(segment.pages));
  const newest = new Map<number, VersionOfUrl>();
  for (const version of versions) {
    const number = index.numberOf(version.id);
    if (number < 0) continue;
    const at = index.segments.findLastIndex(({ base }) => base <= number);
    bits[at]!.add(number - index.segments[at]!.base);
    const known = newest.get(version.urlId);
    if (known === undefined || known.fromMs < version.fromMs) newest.set(version.urlId, version);
  }
  const segments = index.segments.map((one, i): LiveSegment => ({ ...one, live: bits[i]! }));
  return {
    ...describeIndex(segments, index.numbers),
    numberOf(urlId) {
      const version = newest.get(urlId);
      return version === undefined ? -1 : index.numberOf(version.id);
    },
  };
}

/** The ids of the versions that link to a URL in their own content. */
export function versionsLinkingTo({ segments }: OpenIndex, urlId: number): Set<number> {
  const ids = new Set<number>();
  for (const { segment, live } of segments) {
    for (const page of live) {
      if (segment.linkTargets(page).includes(urlId)) ids.add(segment.columns.wide.urlId[page] as number);
    }
  }
  return ids;
}
