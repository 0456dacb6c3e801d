/**
 * Removes regions that are known as noise of the host from a page. In: an outline without other noise, and the ignored
 * regions. Out: the outline without their content.
 *
 * What always holds: a region stays if it may be own content in this version (own-content.ts), whatever is known about
 * its path. Regions in an ignored region that are not ignored themselves stay, too.
 */
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import { PARAMETER, PICTURES, pictureOf, withoutParameters } from './address-aspects.ts';
import { hash32 } from './evidence-form.ts';
import type { IgnoredRegion } from './noise-evidence.ts';
import { OwnContent, type TemplateTest } from './own-content.ts';
import { type PageRegion, regionsOf, shownText } from './page-regions.ts';

export interface WithoutRegions {
  readonly outline: PageOutline;
  /** The content of each region that was removed, by path. */
  readonly removed: ReadonlyMap<string, string>;
}

export function leaveOutRegions(
  outline: PageOutline,
  ignored: readonly IgnoredRegion[],
  isTemplate?: TemplateTest,
): WithoutRegions {
  const known = new Map(ignored.map((region) => [region.path, region]));
  const page = regionsOf(outline);
  const candidates = page.regions.filter(({ path }) => known.has(path));
  const addresses = addressesOf(ignored);
  const addressed = page.regions.filter(({ path }) => addresses.has(path));
  if (candidates.length + addressed.length === 0) return { outline, removed: new Map() };
  const own = new OwnContent(outline, page, isTemplate);
  const left = new Set<number>();
  const removed = new Map<string, string>();
  for (const region of candidates) {
    if (!mayBeIgnored(region, known.get(region.path)!, own)) continue;
    for (const at of region.nodes) left.add(at);
    removed.set(region.path, `${removed.get(region.path) ?? ''}\n${region.items.join('\n')}`);
  }
  const nodes = [...outline.nodes];
  for (const { path, nodes: places, items } of addressed) {
    const noise = addresses.get(path)!;
    for (const at of places) nodes[at] = withAddresses(nodes[at] as OutlineNode, noise);
    const shown = items.filter((item) => sameAddress(item, noise) !== item).join('\n');
    for (const name of noise.names) removed.set(name, `${removed.get(name) ?? ''}\n${shown}`);
  }
  return { outline: { ...outline, nodes: nodesWithout(nodes, left) }, removed };
}

interface AddressNoise {
  /** The paths in the evidence. */
  readonly names: string[];
  readonly parameters: Set<string>;
  /** Hashes of the known addresses of pictures. */
  pictures: ReadonlySet<number>;
}

function addressesOf(ignored: readonly IgnoredRegion[]): ReadonlyMap<string, AddressNoise> {
  const all = new Map<string, AddressNoise>();
  for (const { path, known } of ignored) {
    const [element = '', parameter] = path.replace(PICTURES, '').split(PARAMETER);
    if (element === path) continue;
    const noise = all.get(element) ?? { names: [], parameters: new Set(), pictures: new Set() };
    all.set(element, noise);
    noise.names.push(path);
    if (parameter === undefined) noise.pictures = known;
    else noise.parameters.add(parameter);
  }
  return all;
}

/** Replaces addresses by what is the same in all of them. A picture with a new address stays. */
function withAddresses(node: OutlineNode, noise: AddressNoise): OutlineNode {
  let isKept = true;
  const attributes = node.attributes.map((value, at) => {
    if (at % 2 === 0) return value;
    const item = `${node.attributes[at - 1]}=${shownText(value)}`;
    const same = sameAddress(item, noise);
    if (same === item) return value;
    isKept = false;
    return same.slice(item.indexOf('=') + 1);
  });
  return isKept ? node : { ...node, attributes };
}

function sameAddress(item: string, { parameters, pictures }: AddressNoise): string {
  if (pictures.size > 0 && pictures.has(hash32(item))) return pictureOf(item);
  return parameters.size === 0 ? item : withoutParameters(item, parameters);
}

function mayBeIgnored(region: PageRegion, { needsLinks, mayBeUnclear }: IgnoredRegion, own: OwnContent): boolean {
  if (needsLinks && !own.hasOnlyLinks(region)) return false;
  const ownership = own.of(region);
  return ownership === 'beside' || (ownership === 'unclear' && mayBeUnclear);
}

/** An element with content that stays is kept without its attributes, because its place in the tree matters. */
function nodesWithout(nodes: readonly OutlineNode[], left: ReadonlySet<number>): readonly OutlineNode[] {
  const isKept = new Uint8Array(nodes.length);
  for (let at = nodes.length - 1; at >= 0; at--) {
    if (!left.has(at)) isKept[at] = 1;
    const { parent } = nodes[at] as OutlineNode;
    if (isKept[at] === 1 && parent >= 0) isKept[parent] = 1;
  }
  const kept: OutlineNode[] = [];
  const places = new Int32Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    if (isKept[at] === 0) continue;
    const node = nodes[at] as OutlineNode;
    const parent = node.parent < 0 ? -1 : (places[node.parent] as number);
    places[at] = kept.length;
    const bare = left.has(at) ? { name: 'div', attributes: NO_ATTRIBUTES } : {};
    kept.push(parent === node.parent && !left.has(at) ? node : { ...node, parent, ...bare });
  }
  return kept;
}

const NO_ATTRIBUTES: readonly string[] = Object.freeze([]);
