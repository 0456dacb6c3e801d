/**
 * Puts placeholders into the regions of a page that were learned to change at every visit,
 * if their content is still of the learned kind.
 */
import type { OutlineNode, PageOutline } from '../../../core/page/page-outline.ts';
import type { NoiseLog } from '../noise-log.ts';
import { isStill, MAX_SLOT_NODES } from './region-kinds.ts';
import { contextOf, elementPaths, signOf, slotHash, subtreeEnd, type VolatileRegion } from './volatile-path.ts';

const PLACEHOLDER = '(volatile)';
const NO_ATTRIBUTES: readonly string[] = Object.freeze([]);

export function maskRegions(outline: PageOutline, regions: readonly VolatileRegion[], log: NoiseLog): PageOutline {
  const { nodes } = outline;
  const byPath = Map.groupBy(regions, ({ path }) => path);
  const paths = elementPaths(nodes);
  const masked: OutlineNode[] = [];
  const places = new Int32Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    places[at] = masked.length;
    const parent = nodes[at]!.parent < 0 ? -1 : places[nodes[at]!.parent]!;
    const node = maskNode(nodes, at, paths, byPath, log);
    const isSlot = node === null;
    const kept = isSlot ? { ...nodes[at]!, attributes: NO_ATTRIBUTES } : node;
    masked.push(kept.parent === parent ? kept : { ...kept, parent });
    if (isSlot) at = subtreeEnd(nodes, at) - 1;
  }
  return { ...outline, nodes: masked };
}

/** The node as it is, or masked. Null for a rotating slot, of which only the element itself is kept. */
function maskNode(
  nodes: readonly OutlineNode[],
  place: number,
  paths: readonly string[],
  byPath: ReadonlyMap<string, readonly VolatileRegion[]>,
  log: NoiseLog,
): OutlineNode | null {
  const node = nodes[place]!;
  if (node.kind === 'text') {
    const region =
      node.parent < 0 || paths[node.parent] === '' ? undefined : byPath.get(`${paths[node.parent]}text`)?.[0];
    if (region === undefined || !isStill(region.kind, node.text) || contextOf(nodes, node.parent) !== region.context)
      return node;
    return log.takes('learned', node.text) ? { ...node, text: PLACEHOLDER } : node;
  }
  let masked = node;
  for (const region of (paths[place] === '' ? undefined : byPath.get(paths[place]!)) ?? []) {
    if (region.kind === 'rotation') {
      const value =
        region.context === signOf(node) ? slotHash(nodes, place, subtreeEnd(nodes, place, MAX_SLOT_NODES + 1)) : '';
      if (region.alternatives.includes(value) && log.takes('learned', value)) return null;
    } else if (region.context === node.name) masked = maskAttribute(masked, region, log);
  }
  return masked;
}

function maskAttribute(node: OutlineNode, region: VolatileRegion, log: NoiseLog): OutlineNode {
  const at = node.attributes.indexOf(region.attribute);
  if (at < 0 || at % 2 !== 0 || !isStill(region.kind, node.attributes[at + 1]!)) return node;
  if (!log.takes('learned', node.attributes[at + 1]!)) return node;
  const attributes = [...node.attributes];
  attributes[at + 1] = PLACEHOLDER;
  return { ...node, attributes };
}
