/**
 * Reads the outline of a page as a tree. In: an outline (core/page/page-outline.ts), whose nodes stand in document
 * order and know their parent. Out: the subtree, the children and the attributes of a node, by its index.
 *
 * What always holds: nothing is recursive, so a page with a million nested elements is read like any other. The nodes
 * of level 0 belong to no tree (the doctype, hashes, stray end tags) and are nobody's children.
 */
import type { OutlineNode, PageOutline } from '../core/page/page-outline.ts';

export class PageTree {
  readonly nodes: readonly OutlineNode[];
  /** The index after the last node of each subtree. */
  readonly #ends: Int32Array;

  constructor({ nodes }: PageOutline) {
    this.nodes = nodes;
    this.#ends = new Int32Array(nodes.length);
    for (let at = nodes.length - 1; at >= 0; at--) {
      const end = Math.max(this.#ends[at] as number, at + 1);
      this.#ends[at] = end;
      const { parent } = nodes[at] as OutlineNode;
      if (parent >= 0 && (this.#ends[parent] as number) < end) this.#ends[parent] = end;
    }
  }

  /** The index after the last node of the subtree. All nodes from `node` to there belong to it, except level 0. */
  end(node: number): number {
    return this.#ends[node] as number;
  }

  /** The indexes of the children, in document order. */
  children(node: number): number[] {
    const children: number[] = [];
    const end = this.end(node);
    for (let at = node + 1; at < end; at = Math.max(at + 1, this.end(at))) {
      if (this.nodes[at]?.parent === node) children.push(at);
    }
    return children;
  }

  /** The value of an attribute; '' if it has no value, null if the node does not have it. */
  attribute(node: number, name: string): string | null {
    const { attributes } = this.nodes[node] as OutlineNode;
    for (let i = 0; i < attributes.length; i += 2) if (attributes[i] === name) return attributes[i + 1] ?? '';
    return null;
  }
}
