/** The nodes of an outline as they are found. */
import { hash } from 'node:crypto';
import type { OutlineNode, PageOutline } from '../core/page-outline.ts';
import type { OpenElements } from './open-elements.ts';

export const MAX_OUTLINE_NODES = 200_000;
export const NO_ATTRIBUTES: readonly string[] = Object.freeze([]);

/** A text grows while it is followed by more of it. */
type GrowingNode = { -readonly [key in keyof OutlineNode]: OutlineNode[key] };

export class OutlineNodes implements PageOutline {
  readonly nodes: GrowingNode[] = [];
  isCut = false;

  get isFull(): boolean {
    return this.nodes.length >= MAX_OUTLINE_NODES;
  }

  addElement(open: OpenElements, name: string, attributes: readonly string[]): void {
    this.#add('element', open.level, open.parent, name, attributes, '');
  }

  addText(open: OpenElements, text: string): void {
    const last = this.nodes.at(-1);
    const { level, parent } = open;
    if (last?.kind === 'text' && last.parent === parent && last.level === level) last.text += text;
    else this.#add('text', level, parent, '', NO_ATTRIBUTES, text);
  }

  addComment(open: OpenElements, text: string): void {
    this.#add('comment', open.level, open.parent, '', NO_ATTRIBUTES, text);
  }

  addDoctype(text: string): void {
    this.#add('comment', 0, -1, '', NO_ATTRIBUTES, text);
  }

  /** An end tag that ends nothing here, or, without a name, an end tag that is missing. */
  addStrayEnd(name: string): void {
    this.#add('element', 0, -1, `/${name}`, NO_ATTRIBUTES, '');
  }

  /** What is not outlined, as a hash. */
  addRest(rest: Buffer): void {
    this.isCut = true;
    this.#add('text', 0, -1, '', NO_ATTRIBUTES, hash('sha256', rest));
  }

  #add(
    kind: OutlineNode['kind'],
    level: number,
    parent: number,
    name: string,
    attributes: readonly string[],
    text: string,
  ): void {
    this.nodes.push({ kind, level, parent, name, attributes, text });
  }
}
