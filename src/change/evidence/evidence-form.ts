/**
 * The stored form of the evidence of a host. It is read with care, because another version of the program may have
 * written it.
 */
export interface RegionEvidence {
  readonly path: string;
  /** Looks of the same moment that differed, and that did not. */
  doubles: number;
  doubleSame: number;
  /** Visits that differed, and that did not. */
  visits: number;
  visitsSame: number;
  /** Hashes of the pages on which it differed without own content. */
  readonly doublePages: number[];
  /** The same for visits, with the number of visits at which something came back that had been gone. */
  readonly visitPages: [page: number, returns: number][];
  /** Differences in which it had own content, and in which it had text outside links. */
  owns: number;
  loose: number;
  /** Differences in which it showed on one page what it had shown on another page. */
  shared: number;
  /** Hashes of what it showed lately, each with the page that showed it last, and 1 if it has ever been gone since. */
  readonly items: (readonly [item: number, page: number, wasGone: number])[];
  readonly firstMs: number;
  lastMs: number;
  /** The time since which it is ignored; 0 if it is not. */
  ignoredMs: number;
}

export interface StoredEvidence {
  readonly regions: readonly RegionEvidence[];
  readonly groups: readonly (readonly [group: number, pages: readonly number[], atMs: number, read: number])[];
}

/** After this time, pages of a group may be looked at twice again. */
export const GROUP_AGE_MS = 14 * 86_400_000;
export const PAGES_KEPT = 6;
export const ITEMS_KEPT = 64;
const NOTHING: StoredEvidence = { regions: [], groups: [] };

export function newRegion(path: string, atMs: number): RegionEvidence {
  const counts = { doubles: 0, doubleSame: 0, visits: 0, visitsSame: 0, owns: 0, loose: 0, shared: 0 };
  return { path, ...counts, doublePages: [], visitPages: [], items: [], firstMs: atMs, lastMs: atMs, ignoredMs: 0 };
}

export function encodeEvidence(evidence: StoredEvidence): Uint8Array {
  return Buffer.from(JSON.stringify(evidence));
}

/** Bytes that make no sense are no evidence. */
export function decodeEvidence(stored: Uint8Array | null | undefined): StoredEvidence {
  if (!stored) return NOTHING;
  try {
    const { regions, groups } = JSON.parse(Buffer.from(stored).toString()) as StoredEvidence;
    return { regions: regions.filter(isRegion), groups: groups.filter(([, pages]) => Array.isArray(pages)) };
  } catch {
    return NOTHING;
  }
}

function isRegion(region: RegionEvidence): boolean {
  const lists = [region.doublePages, region.visitPages, region.items];
  const numbers = Object.entries(newRegion('', 0)).filter(([, value]) => typeof value === 'number');
  return (
    typeof region.path === 'string' &&
    lists.every(Array.isArray) &&
    [...region.visitPages, ...region.items].every(Array.isArray) &&
    numbers.every(([name]) => Number.isFinite(region[name as 'doubles']))
  );
}

/** Each count becomes the larger one, and pages are joined. */
export function joinEvidence(
  sofar: StoredEvidence,
  news: StoredEvidence,
  maxRegions: number,
  maxGroups: number,
): StoredEvidence {
  const regions = new Map(sofar.regions.map((region) => [region.path, region]));
  for (const region of news.regions) {
    const known = regions.get(region.path);
    regions.set(region.path, known === undefined ? region : joined(known, region));
  }
  const groups = new Map(sofar.groups.map((group) => [group[0], group]));
  for (const [group, pages, atMs, read] of news.groups) {
    const [, others, otherMs, otherRead] = groups.get(group) ?? [group, [], 0, 0];
    if (Math.abs(atMs - otherMs) > GROUP_AGE_MS) {
      if (atMs > otherMs) groups.set(group, [group, pages, atMs, read]);
    } else
      groups.set(group, [
        group,
        [...new Set([...others, ...pages])],
        Math.max(atMs, otherMs),
        Math.max(read, otherRead),
      ]);
  }
  const newest = [...regions.values()].sort((a, b) => b.lastMs - a.lastMs);
  return { regions: newest.slice(0, maxRegions), groups: [...groups.values()].slice(0, maxGroups) };
}

const COUNTS = ['doubles', 'doubleSame', 'visits', 'visitsSame', 'owns', 'loose', 'shared'] as const;
/** Counts that are so much lower have been halved since. */
const HALVED = 0.75;

function joined(one: RegionEvidence, news: RegionEvidence): RegionEvidence {
  const isHalved = totalOf(news) < totalOf(one) * HALVED;
  const counts = COUNTS.map((name) => [name, isHalved ? news[name] : Math.max(one[name], news[name])] as const);
  const since = [one.ignoredMs, news.ignoredMs].filter((ms) => ms > 0);
  return {
    ...one,
    ...Object.fromEntries(counts),
    doublePages: pagesOf(one.doublePages, news.doublePages),
    visitPages: returnsOf(one.visitPages, news.visitPages),
    items: (one.lastMs > news.lastMs ? one : news).items,
    firstMs: Math.min(one.firstMs, news.firstMs),
    lastMs: Math.max(one.lastMs, news.lastMs),
    ignoredMs: since.length === 0 ? 0 : Math.min(...since),
  };
}

function totalOf({ doubles, doubleSame, visits, visitsSame }: RegionEvidence): number {
  return doubles + doubleSame + visits + visitsSame;
}

function returnsOf(
  one: RegionEvidence['visitPages'],
  other: RegionEvidence['visitPages'],
): RegionEvidence['visitPages'] {
  const most = new Map(one);
  for (const [page, returns] of other) most.set(page, Math.max(returns, most.get(page) ?? 0));
  return [...most].slice(0, PAGES_KEPT);
}

function pagesOf(one: readonly number[], other: readonly number[]): number[] {
  return [...new Set([...one, ...other])].slice(0, PAGES_KEPT);
}

/** The hash of a URL or of an item (FNV-1a). Two that collide do no harm: evidence needs several. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
