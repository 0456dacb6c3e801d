/**
 * The evidence that regions of the pages of a host are noise. In: comparisons of two looks at one page: of the same
 * moment (a double look), or of two visits. Out: the regions that may be ignored on all pages of the host.
 *
 * What always holds:
 * - A region is ignored only by evidence that an honest change cannot make: it differed between two looks of the same
 *   moment on three pages; or what was gone came back again and again on three pages, in a list of links that differs
 *   at nearly every visit or in the addresses of the same pictures; or drawn parameters of links differed there at
 *   nearly every visit.
 * - A region that differs in own content now and then (own-content.ts) is not ignored.
 * - The number of regions is bounded, and old evidence is forgotten.
 */
import { PARAMETER, PICTURES } from './address-aspects.ts';
import type { LookComparison, RegionDifference } from './compare-looks.ts';
import type { RegionEvidence } from './evidence-form.ts';
import {
  decodeEvidence,
  encodeEvidence,
  GROUP_AGE_MS,
  ITEMS_KEPT,
  joinEvidence,
  newRegion,
  PAGES_KEPT,
} from './evidence-form.ts';

export type NoiseProof = 'double-look' | 'visits';

export interface IgnoredRegion {
  readonly path: string;
  readonly proof: NoiseProof;
  /** The number of pages and looks on which it differed. */
  readonly pages: number;
  readonly looks: number;
  readonly sinceMs: number;
  /** Only a region with nothing but links may be ignored. */
  readonly needsLinks: boolean;
  /** It may be ignored where nothing in the page says that it stands beside the content. */
  readonly mayBeUnclear: boolean;
  /** Hashes of what it showed lately. */
  readonly known: ReadonlySet<number>;
}

export interface Look {
  /** Two looks of the same moment, or two visits. */
  readonly kind: NoiseProof;
  /** A hash of the URL. */
  readonly page: number;
  readonly atMs: number;
  /** The page had not changed at the visit before. So its regions do not differ at every visit. */
  readonly followsRest?: boolean;
}

const MAX_REGIONS = 128;
/** A path is one that a site wrote. A longer one is not learned. */
const MAX_PATH_CHARS = 160;
const MAX_AGE_MS = 90 * 86_400_000;
/** Counts above this are halved, so that new evidence counts. */
const MAX_COUNT = 48;

const PROVING_PAGES = 3;
/** So often something must have come back on each of them that had been gone. */
const PROVING_RETURNS = 3;
/** Without returns, as parameters of links have none, so many visits are needed. */
const PROVING_VISITS = 9;
/** Few contents that take turns may be a state, such as open and closed. A link has a text and a target. */
const LEAST_ITEMS = 8;
/** At nearly every visit. */
const VISITS_FOR_ONE_SAME = 4;
/** Two looks of the same moment are often the same where few contents take turns. */
const SAME_FOR_ONE_DOUBLE = 3;
const LOOKS_FOR_ONE_OWN = 8;
const MAX_ITEMS_OF_LOOK = 24;

/** How many pages of a group of the host are looked at twice, and of the host. */
const DOUBLE_LOOKS_OF_GROUP = 4;
const MAX_GROUPS = 8;
/** How many changed pages of a group are read before anything is known. */
const READ_OF_GROUP = 8;

export class NoiseEvidence {
  readonly #regions: Map<string, RegionEvidence>;
  /** The pages that were looked at twice, by group. */
  readonly #groups: Map<number, { readonly pages: number[]; readonly atMs: number; read: number }>;
  #unstored = 0;

  constructor(stored: Uint8Array | null | undefined = null) {
    const { regions, groups } = decodeEvidence(stored);
    this.#regions = new Map(regions.map((region) => [region.path, region]));
    this.#groups = new Map(groups.map(([group, pages, atMs, read]) => [group, { pages: [...pages], atMs, read }]));
  }

  /**
   * Whether a page of this group that has changed should be compared with its earlier version, because the group is
   * new. Counts the page.
   */
  mayReadFirst(group: number, nowMs: number): boolean {
    const known = this.#groups.get(group);
    const isNew = known === undefined || nowMs - known.atMs > GROUP_AGE_MS;
    if (isNew && !this.#hasRoomFor(group, nowMs)) return false;
    if (isNew) this.#groups.set(group, { pages: [], atMs: nowMs, read: 1 });
    else if (known.read < READ_OF_GROUP) known.read++;
    else return false;
    this.#unstored++;
    return true;
  }

  /** Whether something is ignored, or has differed within a moment or come back. */
  isLearning(nowMs: number): boolean {
    for (const { path, doublePages, visitPages, lastMs } of this.#regions.values()) {
      const mayReturn = path.includes(PARAMETER) || visitPages.some(([, returns]) => returns > 0);
      if (nowMs - lastMs <= MAX_AGE_MS && (mayReturn || doublePages.length > 0)) return true;
    }
    return false;
  }

  /** Whether a second look at this page is worth a request. */
  wantsDoubleLook(group: number, page: number, nowMs: number): boolean {
    const known = this.#groups.get(group);
    if (known === undefined || nowMs - known.atMs > GROUP_AGE_MS) return this.#hasRoomFor(group, nowMs);
    return known.pages.length < DOUBLE_LOOKS_OF_GROUP && !known.pages.includes(page);
  }

  /** Counts a second look when it begins, because looks at several pages may be under way. */
  beginDoubleLook(group: number, page: number, nowMs: number): void {
    const known = this.#groups.get(group);
    const isNew = known === undefined || nowMs - known.atMs > GROUP_AGE_MS;
    if (isNew) this.#groups.set(group, { pages: [page], atMs: nowMs, read: 0 });
    else known.pages.push(page);
    this.#unstored++;
  }

  get doubleLooks(): number {
    return [...this.#groups.values()].reduce((sum, { pages }) => sum + pages.length, 0);
  }

  record({ kind, page, atMs, followsRest = false }: Look, { different, same }: LookComparison): void {
    const isDouble = kind === 'double-look';
    const others = new Set(same);
    const found = new Set(different.map(({ path }) => path));
    for (const region of this.#regions.values()) {
      if (found.has(region.path) || !others.has(elementPathOf(region.path))) continue;
      if (isDouble) region.doubleSame++;
      else region.visitsSame++;
    }
    // Between two visits, an honest change may touch many places of a page, so nothing else is counted beside it.
    const isHonest = !isDouble && different.some(({ ownership }) => ownership === 'own');
    for (const difference of different) {
      if (difference.path.length > MAX_PATH_CHARS) continue;
      if (isHonest && difference.ownership !== 'own') continue;
      const region = this.#regionOf(difference.path, atMs);
      // The first visit after the crawl follows no other visit.
      if (followsRest && !isDouble && region.visitPages.some(([of]) => of === page)) region.visitsSame++;
      addDifference(region, difference, isDouble, page);
      region.lastMs = Math.max(region.lastMs, atMs);
      if (region.doubles + region.visits + region.visitsSame + region.doubleSame > MAX_COUNT) halve(region);
      const isProven = proofOf(region, atMs) !== null;
      region.ignoredMs = isProven ? region.ignoredMs || atMs : 0;
    }
    this.#unstored++;
  }

  ignored(nowMs: number): readonly IgnoredRegion[] {
    return [...this.#regions.values()].flatMap((region) => {
      const proof = proofOf(region, nowMs);
      if (proof === null) return [];
      const isDouble = proof === 'double-look';
      return {
        path: region.path,
        proof,
        pages: (isDouble ? region.doublePages : region.visitPages).length,
        looks: isDouble ? region.doubles : region.visits,
        sinceMs: region.ignoredMs,
        needsLinks: !isDouble,
        mayBeUnclear: isShared(region),
        known: new Set(region.items.map(([item]) => item)),
      };
    });
  }

  /** The evidence for the store if there is news worth storing, else null. */
  takeNews(isIdle: boolean): Uint8Array | null {
    if (this.#unstored === 0 || (!isIdle && this.#unstored < NEWS_BETWEEN_STORES)) return null;
    this.#unstored = 0;
    return this.encode();
  }

  encode(): Uint8Array {
    const groups = [...this.#groups].map(([group, { pages, atMs, read }]) => [group, pages, atMs, read] as const);
    return encodeEvidence({ regions: [...this.#regions.values()], groups });
  }

  /** Joins the evidence of units that share a host. Both may have begun with the same stored evidence. */
  static join(sofar: Uint8Array, news: Uint8Array): Uint8Array {
    return encodeEvidence(joinEvidence(decodeEvidence(sofar), decodeEvidence(news), MAX_REGIONS, MAX_GROUPS));
  }

  #regionOf(path: string, atMs: number): RegionEvidence {
    const known = this.#regions.get(path);
    if (known !== undefined && atMs - known.lastMs <= MAX_AGE_MS) return known;
    if (known === undefined && this.#regions.size >= MAX_REGIONS) this.#dropLeastTelling();
    const region = newRegion(path, atMs);
    this.#regions.set(path, region);
    return region;
  }

  #dropLeastTelling(): void {
    const worth = ({ ignoredMs, doubles, visits, lastMs }: RegionEvidence): number =>
      lastMs + (ignoredMs > 0 ? MAX_AGE_MS : 0) + (doubles + visits) * 86_400_000;
    let least: RegionEvidence | null = null;
    for (const region of this.#regions.values()) if (least === null || worth(region) < worth(least)) least = region;
    if (least !== null) this.#regions.delete(least.path);
  }

  #hasRoomFor(group: number, nowMs: number): boolean {
    if (this.#groups.size < MAX_GROUPS || this.#groups.has(group)) return true;
    for (const [group, { atMs }] of this.#groups) {
      if (nowMs - atMs <= GROUP_AGE_MS) continue;
      this.#groups.delete(group);
      return true;
    }
    return false;
  }
}

const NEWS_BETWEEN_STORES = 16;

function proofOf(region: RegionEvidence, nowMs: number): NoiseProof | null {
  const { path, doubles, doubleSame, doublePages, visits, visitsSame, owns } = region;
  if (nowMs - region.lastMs > MAX_AGE_MS || owns * LOOKS_FOR_ONE_OWN > doubles + visits) return null;
  // A link to any other entry has a parameter that differs too. Only values that look drawn are noise.
  if (path.includes(PARAMETER) && region.loose * 2 > doubles + visits) return null;
  if (doublePages.length >= PROVING_PAGES && doubles * SAME_FOR_ONE_DOUBLE >= doubleSame) return 'double-look';
  const isSteady = visits >= PROVING_VISITS && visitsSame * VISITS_FOR_ONE_SAME <= visits;
  if (path.includes(PARAMETER)) {
    const isDrawn = region.loose * 2 <= visits && region.visitPages.length >= PROVING_PAGES;
    return isSteady && isDrawn ? 'visits' : null;
  }
  // An honest change touches all pages alike, and what it drops does not come back again and again.
  if (returningPages(region) < PROVING_PAGES) return null;
  if (path.endsWith(PICTURES)) return 'visits';
  const isList = region.loose === 0 && region.items.length >= LEAST_ITEMS && isShared(region);
  return isList && isSteady ? 'visits' : null;
}

/** The path of the element, without the aspect of its addresses. */
function elementPathOf(path: string): string {
  return path.split(PARAMETER, 1)[0]!.replace(PICTURES, '');
}

function returningPages({ visitPages }: RegionEvidence): number {
  return visitPages.filter(([, returns]) => returns >= PROVING_RETURNS).length;
}

/** Whether the region mostly shows on one page what it has shown on others, as no content of a page does. */
function isShared({ shared, doubles, visits }: RegionEvidence): boolean {
  return shared > 1 && shared * 2 >= doubles + visits;
}

function addDifference(region: RegionEvidence, difference: RegionDifference, isDouble: boolean, page: number): void {
  const { ownership, hasOnlyLinks } = difference;
  const hasReturned = addItems(region, difference, page);
  if (ownership === 'own') region.owns++;
  if (!hasOnlyLinks) region.loose++;
  if (isDouble) {
    region.doubles++;
    if (ownership !== 'own' && !region.doublePages.includes(page)) region.doublePages.push(page);
    region.doublePages.splice(PAGES_KEPT);
    return;
  }
  region.visits++;
  const known = region.visitPages.find(([of]) => of === page);
  if (known !== undefined) known[1] += hasReturned ? 1 : 0;
  else if (region.visitPages.length < PAGES_KEPT) region.visitPages.push([page, hasReturned ? 1 : 0]);
}

/** Returns whether something is back that was gone. */
function addItems(region: RegionEvidence, { removed, added }: RegionDifference, page: number): boolean {
  const known = new Map(region.items.map((entry) => [entry[0], entry]));
  const seen = added.map((item) => known.get(item)).filter((entry) => entry !== undefined);
  if (seen.some(([, of]) => of !== page)) region.shared++;
  const note = (item: number, of: number, wasGone: number): void => {
    // The newest entries come last.
    known.delete(item);
    known.set(item, [item, of, wasGone]);
  };
  for (const item of removed.slice(0, MAX_ITEMS_OF_LOOK)) note(item, known.get(item)?.[1] ?? page, 1);
  for (const item of added.slice(0, MAX_ITEMS_OF_LOOK)) note(item, page, known.get(item)?.[2] ?? 0);
  region.items.splice(0, region.items.length, ...[...known.values()].slice(-ITEMS_KEPT));
  return seen.some(([, , wasGone]) => wasGone === 1);
}

function halve(region: RegionEvidence): void {
  for (const count of ['doubles', 'doubleSame', 'visits', 'visitsSame', 'shared', 'owns', 'loose'] as const) {
    region[count] = Math.floor(region[count] / 2);
  }
}
