/** The pages of a segment that pass a filter. Filters compare the facts of pages, which are in memory. */

import { authorityOf, hostnameOf, pathOf } from '../../url/host.ts';
import type { LiveSegment } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import type { FilterQuery } from '../query/query.ts';

/** The ids of the pages that link to a URL. The index does not have the links of templates, so the copy is asked. */
export type LinkSources = ReadonlyMap<string, ReadonlySet<number>>;

export function filterPages({ segment }: LiveSegment, filter: FilterQuery, sources: LinkSources): PageBits {
  const { columns } = segment;
  const { wide, narrow } = columns;
  const bits = new PageBits(segment.pages);
  const addWhere = (matches: (page: number) => boolean): PageBits => {
    for (let page = 0; page < segment.pages; page++) if (matches(page)) bits.add(page);
    return bits;
  };
  /** The pages whose name in a table passes. */
  const addNamed = (names: readonly string[], column: Uint8Array | Uint32Array, passes: (name: string) => boolean) => {
    const passing = Uint8Array.from(names, (name) => (passes(name) ? 1 : 0));
    return addWhere((page) => passing[column[page] as number] === 1);
  };
  switch (filter.kind) {
    case 'site': {
      addNamed(columns.hosts, wide.host, (host) => isBelow(host, filter.host));
      if (filter.path !== '') {
        for (const page of bits.toArray()) if (!pathOf(segment.urlOf(page)).startsWith(filter.path)) bits.delete(page);
      }
      return bits;
    }
    case 'filetype':
      return addNamed(columns.fileTypes, narrow.fileType, (name) => name === filter.value);
    case 'lang':
      return addNamed(columns.languages, narrow.language, (name) => name === filter.value);
    case 'date':
      return addWhere(inRange(wide.fetched, filter.fromMs, filter.toMs));
    case 'changed':
      return addWhere(inRange(wide.changed, filter.fromMs, filter.toMs));
    case 'depth':
      return addWhere((page) => isBetween(narrow.depth[page] as number, filter));
    case 'link': {
      const ids = sources.get(filter.url);
      return addWhere((page) => ids?.has(wide.urlId[page] as number) ?? false);
    }
  }
}

/** Times are stored in seconds; 0 is no time. */
function inRange(seconds: Uint32Array, fromMs: number | null, toMs: number | null): (page: number) => boolean {
  const from = fromMs === null ? 1 : Math.max(1, Math.ceil(fromMs / 1_000));
  const to = toMs === null ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / 1_000);
  return (page) => (seconds[page] as number) >= from && (seconds[page] as number) < to;
}

/** A host with a port means this port only; a host without one means every port. Domains below it belong to it. */
function isBelow(host: string, wanted: string): boolean {
  const name = /:\d+$/.test(wanted) ? authorityOf(host) : hostnameOf(host);
  return name === wanted || name.endsWith(`.${wanted}`);
}

function isBetween(depth: number, { from, to }: { readonly from: number; readonly to: number | null }): boolean {
  return depth >= from && (to === null || depth <= to);
}
