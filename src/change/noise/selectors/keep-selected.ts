/** Keeps only the selected elements of an outline and what is in them. */
import type { OutlineNode, PageOutline } from '../../../core/page/page-outline.ts';
import { selectNodes } from './select-nodes.ts';
import type { Selector } from './selector.ts';

/** Null if no element is selected. */
export function keepSelected(outline: PageOutline, selectors: readonly Selector[]): PageOutline | null {
  const { nodes } = outline;
  const selected = selectNodes(outline, selectors);
  if (!selected.includes(1)) return null;
  const kept: OutlineNode[] = [];
  const places = new Int32Array(nodes.length).fill(-1);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at] as OutlineNode;
    const parent = node.parent < 0 ? -1 : (places[node.parent] as number);
    // The hash of bytes that are not outlined: whether they are selected is not known.
    const isRest = node.level === 0 && node.kind === 'text';
    if (selected[at] === 0 && parent < 0 && !isRest) continue;
    places[at] = kept.length;
    kept.push(parent === node.parent ? node : { ...node, parent });
  }
  return { ...outline, nodes: kept };
}
