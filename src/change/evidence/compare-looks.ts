/**
 * Compares two looks at one page and says in which of its regions they differ. In: two outlines without noise. Out: the
 * paths of the regions that differ, with what the evidence needs to know about them, and the paths that are the same.
 */
import type { PageOutline } from '../../core/page/page-outline.ts';
import { movedParameters, PARAMETER, PICTURES, pictureOf } from './address-aspects.ts';
import { hash32 } from './evidence-form.ts';
import { OwnContent, type Ownership, type TemplateTest } from './own-content.ts';
import { type PageRegion, regionsOf } from './page-regions.ts';

export interface RegionDifference {
  readonly path: string;
  /** The strictest of all regions with this path that differ. */
  readonly ownership: Ownership;
  /** For a parameter: its values look drawn. */
  readonly hasOnlyLinks: boolean;
  /** Hashes of what only the first look shows there, and of what only the second look shows there. */
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

export interface LookComparison {
  readonly different: readonly RegionDifference[];
  readonly same: readonly string[];
}

/** More regions are not compared. A hostile page can have 100,000 of them. */
const MAX_DIFFERENT = 64;
const STRICTNESS: readonly Ownership[] = ['beside', 'unclear', 'own'];

export function compareLooks(
  before: PageOutline,
  after: PageOutline,
  tests: { readonly before?: TemplateTest; readonly after?: TemplateTest } = {},
): LookComparison {
  const [was, is] = [regionsOf(before), regionsOf(after)];
  const [wasAt, isAt] = [byPath(was.regions), byPath(is.regions)];
  const paths = new Set([...wasAt.keys(), ...isAt.keys()]);
  const different: RegionDifference[] = [];
  const same: string[] = [];
  // Most looks differ in few regions, so the own content is looked at only then.
  let owns: readonly [OwnContent, OwnContent] | null = null;
  for (const path of paths) {
    const [left, right] = [wasAt.get(path) ?? [], isAt.get(path) ?? []];
    const addresses = isSame(left, right) ? [] : addressDifferences(path, left, right);
    if (addresses !== null) {
      same.push(path);
      different.push(...addresses.slice(0, MAX_DIFFERENT - Math.min(different.length, MAX_DIFFERENT)));
    } else if (different.length < MAX_DIFFERENT) {
      owns ??= [new OwnContent(before, was, tests.before), new OwnContent(after, is, tests.after)];
      const [removed, added] = onlyInOne(left, right);
      different.push(differenceOf(path, [owns[0], removed], [owns[1], added]));
    }
  }
  return { different, same };
}

/** Null if more differs than addresses that lead to the same. */
function addressDifferences(path: string, was: Regions, is: Regions): readonly RegionDifference[] | null {
  const [before, after] = [was.flatMap(({ items }) => items), is.flatMap(({ items }) => items)];
  if (was.length !== is.length || before.length !== after.length) return null;
  const pictures: (readonly [string, string])[] = [];
  const parameters = new Map<string, boolean>();
  for (const [at, item] of before.entries()) {
    const other = after[at] as string;
    if (item === other) continue;
    if (pictureOf(item) === pictureOf(other)) {
      pictures.push([item, other]);
      continue;
    }
    const moved = movedParameters(item, other);
    if (moved === null) return null;
    for (const { name, isDrawn } of moved) parameters.set(name, isDrawn && (parameters.get(name) ?? true));
  }
  const found = { ownership: 'beside', hasOnlyLinks: true, removed: [], added: [] } as const;
  const all = [...parameters].map(([name, isDrawn]) => ({
    ...found,
    path: `${path}${PARAMETER}${name}`,
    hasOnlyLinks: isDrawn,
  }));
  if (pictures.length === 0) return all;
  const [removed, added] = [pictures.map(([one]) => hash32(one)), pictures.map(([, other]) => hash32(other))];
  return [...all, { ...found, path: path + PICTURES, removed, added }];
}

function between(before: ReadonlySet<number>, after: ReadonlySet<number>): Pick<RegionDifference, 'removed' | 'added'> {
  const without = (some: ReadonlySet<number>, others: ReadonlySet<number>) =>
    [...some].filter((item) => !others.has(item));
  return { removed: without(before, after), added: without(after, before) };
}

type Side = readonly [own: OwnContent, regions: readonly PageRegion[]];

function differenceOf(path: string, ...sides: readonly Side[]): RegionDifference {
  let strictness = 0;
  let hasOnlyLinks = true;
  for (const [own, regions] of sides) {
    for (const region of regions) {
      strictness = Math.max(strictness, STRICTNESS.indexOf(own.of(region)));
      hasOnlyLinks &&= own.hasOnlyLinks(region);
    }
  }
  const [before, after] = sides.map(([, regions]) => itemsOf(regions));
  return { path, ownership: STRICTNESS[strictness] as Ownership, hasOnlyLinks, ...between(before!, after!) };
}

function itemsOf(regions: Regions): ReadonlySet<number> {
  return new Set(regions.flatMap(({ items }) => items.map(hash32)));
}

type Regions = readonly PageRegion[];

/**
 * The regions of each side whose content the other side does not have, or all of them if only their order or number
 * differs.
 */
function onlyInOne(was: Regions, is: Regions): readonly [Regions, Regions] {
  const [wasHas, isHas] = [new Set(was.map(contentOf)), new Set(is.map(contentOf))];
  const removed = was.filter((one) => !isHas.has(contentOf(one)));
  const added = is.filter((one) => !wasHas.has(contentOf(one)));
  return removed.length + added.length === 0 ? [was, is] : [removed, added];
}

function isSame(was: Regions, is: Regions): boolean {
  return was.length === is.length && was.every((one, at) => hasSameItems(one, is[at] as PageRegion));
}

function hasSameItems({ items: was }: PageRegion, { items: is }: PageRegion): boolean {
  return was.length === is.length && was.every((item, at) => item === is[at]);
}

function contentOf({ items }: PageRegion): string {
  return items.join('\n');
}

function byPath(regions: readonly PageRegion[]): ReadonlyMap<string, PageRegion[]> {
  return Map.groupBy(regions, ({ path }) => path);
}
