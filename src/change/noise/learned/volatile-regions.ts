/**
 * Learns which regions of a page change at every visit and are of a kind that no reader follows.
 *
 * In: the outlines of the last versions of one page, oldest first. Out: its volatile regions, plain data that can be
 * stored and becomes part of the page's NoiseRules.
 *
 * What always holds: a region differs between every two neighbouring versions, its surroundings differ in none, and
 * region-kinds.ts allows its content in all of them. This is checked again when a region is ignored: the content must
 * still be of the learned kind, and a rotating slot must show a content that it has shown before.
 */
import type { OutlineNode, PageOutline } from '../../../core/page/page-outline.ts';
import { DEFAULT_NOISE_RULES, type NoiseRules } from '../noise-rules.ts';
import { ignoreNoise } from '../remove-noise.ts';
import {
  isSlotName,
  MAX_LEARNED_ATTRIBUTES,
  MAX_SLOT_NODES,
  mayBeToken,
  mayRotate,
  type RegionKind,
  textKind,
} from './region-kinds.ts';
import { contextOf, elementPaths, signOf, slotHash, subtreeEnd, type VolatileRegion } from './volatile-path.ts';

export const MIN_VERSIONS = 4;
/** Older versions are too different from the page of today. */
const MAX_VERSIONS = 12;
const MAX_REGIONS = 200;
/** In a page with more numbers, the lower part is not learned, because each number is examined with its line. */
const MAX_SIGHTINGS = 10_000;
/** A larger page is not learned, because all versions are in memory at once. */
const MAX_NODES = 50_000;
/** In these elements a number always matters, whatever the element is called. */
const KEPT: ReadonlySet<string> = new Set(
  'td th h1 h2 h3 h4 h5 h6 title dd li option blockquote code pre a time button label caption data meter'.split(' '),
);
const MAX_CLIMB = 64;

interface Sighting {
  readonly value: string;
  readonly context: string;
  readonly kind: RegionKind | null;
}

export function volatileRegions(
  versions: readonly PageOutline[],
  rules: NoiseRules = DEFAULT_NOISE_RULES,
  checkBudget: () => void = () => {},
): readonly VolatileRegion[] {
  if (versions.length < MIN_VERSIONS || versions.some(({ nodes }) => nodes.length > MAX_NODES)) return [];
  // One version after another, because each outline without noise is as large as the outline itself.
  const sightings = versions.slice(-MAX_VERSIONS).map((version) => {
    checkBudget();
    return sightingsIn(ignoreNoise(version, { ...rules, learned: [] }).nodes);
  });
  const regions: VolatileRegion[] = [];
  for (const key of sightings[0]!.keys()) {
    const seen = sightings.map((of) => of.get(key));
    const region = regionOf(key, seen);
    if (region !== null) regions.push(region);
    if (regions.length === MAX_REGIONS) break;
  }
  return regions;
}

function regionOf(key: string, seen: readonly (Sighting | undefined)[]): VolatileRegion | null {
  const first = seen[0]!;
  for (let at = 0; at < seen.length; at++) {
    const here = seen[at];
    if (here === undefined || here.kind === null || here.kind !== first.kind || here.context !== first.context)
      return null;
    if (at > 0 && here.value === seen[at - 1]!.value) return null;
  }
  const kind = first.kind!;
  const values = seen.map((sighting) => sighting!.value);
  if (kind === 'rotation' && !isRotation(values)) return null;
  const at = key.lastIndexOf('@');
  const alternatives = kind === 'rotation' ? [...new Set(values)].sort() : [];
  return {
    path: at < 0 ? key : key.slice(0, at),
    attribute: at < 0 ? '' : key.slice(at + 1),
    kind,
    context: first.context,
    alternatives,
  };
}

/** Whether there are few alternatives that come back. The entries of a news list never come back. */
function isRotation(values: readonly string[]): boolean {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const returned = values.filter((value) => counts.get(value)! > 1).length;
  return counts.size <= values.length / 2 + 1 && returned * 2 >= values.length;
}

function sightingsIn(nodes: readonly OutlineNode[]): Map<string, Sighting> {
  const sightings = new Map<string, Sighting>();
  const paths = elementPaths(nodes);
  for (let at = 0; at < nodes.length && sightings.size < MAX_SIGHTINGS; at++) {
    const node = nodes[at]!;
    if (node.kind === 'text') noteText(nodes, at, paths, sightings);
    else if (node.kind === 'element' && paths[at] !== '') noteElement(nodes, at, paths[at]!, sightings);
  }
  return sightings;
}

function noteText(
  nodes: readonly OutlineNode[],
  place: number,
  paths: readonly string[],
  sightings: Map<string, Sighting>,
): void {
  const { parent, text } = nodes[place]!;
  // A text that shares its element with other nodes has no path of its own.
  if (parent < 0 || paths[parent] === '' || place !== parent + 1 || text.length > 240) return;
  const after = nodes[place + 1];
  if ((after !== undefined && after.parent >= parent) || !/\d/.test(text)) return;
  const context = contextOf(nodes, parent);
  const kind = isKept(nodes, parent) ? null : textKind(text, context);
  sightings.set(`${paths[parent]}text`, { value: text, context, kind });
}

function noteElement(
  nodes: readonly OutlineNode[],
  place: number,
  path: string,
  sightings: Map<string, Sighting>,
): void {
  const node = nodes[place]!;
  for (let at = 0; at < node.attributes.length && at < MAX_LEARNED_ATTRIBUTES; at += 2) {
    const attribute = node.attributes[at]!;
    const value = node.attributes[at + 1]!;
    if (mayBeToken(node, attribute, value))
      sightings.set(`${path}@${attribute}`, { value, context: node.name, kind: 'token' });
  }
  const sign = signOf(node);
  if (!isSlotName(sign)) return;
  const end = subtreeEnd(nodes, place, MAX_SLOT_NODES + 1);
  if (mayRotate(nodes, place, end)) {
    sightings.set(path, { value: slotHash(nodes, place, end), context: sign, kind: 'rotation' });
  }
}

function isKept(nodes: readonly OutlineNode[], element: number): boolean {
  let at = element;
  for (let climbed = 0; at >= 0 && climbed < MAX_CLIMB; climbed++) {
    if (KEPT.has(nodes[at]!.name)) return true;
    at = nodes[at]!.parent;
  }
  return at >= 0;
}
