/** The nodes of an outline, collected during the scan. */
import { hash } from 'node:crypto';
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import type { OpenElements } from './open-elements.ts';

const MAX_OUTLINE_NODES = 200_000;
export const NO_ATTRIBUTES: readonly string[] = Object.freeze([]);

/** A text node grows while more text follows it directly. */
type GrowingNode = { -readonly [key in keyof OutlineNode]: OutlineNode[key] };

export class OutlineNodes implements PageOutline {
  readonly nodes: GrowingNode[] = [];
  isCut = false;

  get isFull(): boolean {
    return this.nodes.length >= MAX_OUTLINE_NODES;
  }

  addElement(open: OpenElements, name: string, attributes: readonly string[]): void {
    const { level, parent } = open;
    this.nodes.push({ kind: 'element', level, parent, name, attributes, text: '' });
  }

  addText(open: OpenElements, text: string): void {
    const last = this.nodes.at(-1);
    const { level, parent } = open;
    if (last?.kind === 'text' && last.parent === parent && last.level === level) last.text += text;
    else this.nodes.push({ kind: 'text', level, parent, name: '', attributes: NO_ATTRIBUTES, text });
  }

  addComment(open: OpenElements, text: string): void {
    const { level, parent } = open;
    this.nodes.push({ kind: 'comment', level, parent, name: '', attributes: NO_ATTRIBUTES, text });
  }

  addDoctype(text: string): void {
    this.nodes.push({ kind: 'comment', level: 0, parent: -1, name: '', attributes: NO_ATTRIBUTES, text });
  }

  /** An end tag that ends nothing at this place. An empty name stands for a missing end tag. */
  addStrayEnd(name: string): void {
    const attributes = NO_ATTRIBUTES;
    this.nodes.push({ kind: 'element', level: 0, parent: -1, name: `/${name}`, attributes, text: '' });
  }

  /** Adds the hash of a part of the document that is not outlined. */
  addRest(rest: Buffer): void {
    this.isCut = true;
    const text = hash('sha256', rest);
    this.nodes.push({ kind: 'text', level: 0, parent: -1, name: '', attributes: NO_ATTRIBUTES, text });
  }
}
