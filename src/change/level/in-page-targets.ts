/**
 * Names the targets of links within a page by their text. In: the nodes of an outline, and a fragment such as `#top`.
 * Out: the beginning of the text at the element with this id, because the ids of many sites are drawn anew for each
 * response; `#` if the page has no such element, or no text there, because such a link shows nothing that it names.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';

const MAX_TEXT_CHARS = 40;
/** At most this many nodes after the element are searched for text. */
const MAX_NODES = 50;

/** A page of an application, or a text on the page: `#/products/7`, `#!contact`, `#page=2`, `#:~:text=tea`. */
const ROUTE = /[/!=:]/;

export class InPageTargets {
  readonly #nodes: readonly OutlineNode[];
  #places: ReadonlyMap<string, number> | null = null;

  constructor(nodes: readonly OutlineNode[]) {
    this.#nodes = nodes;
  }

  meaning(fragment: string): string {
    if (ROUTE.test(fragment)) return fragment;
    this.#places ??= placesOf(this.#nodes);
    const place = this.#places.get(fragment.slice(1));
    const text = place === undefined ? '' : this.#textAt(place);
    return text === '' ? '#' : `# ${text}`;
  }

  #textAt(place: number): string {
    const end = Math.min(this.#nodes.length, place + MAX_NODES);
    for (let at = place; at < end; at++) {
      const { kind, text, parent } = this.#nodes[at] as OutlineNode;
      if (kind !== 'text' || this.#nodes[parent]?.name === 'script' || this.#nodes[parent]?.name === 'style') continue;
      const shown = text.slice(0, 10 * MAX_TEXT_CHARS).trim();
      if (shown !== '') return shown.slice(0, MAX_TEXT_CHARS);
    }
    return '';
  }
}

function placesOf(nodes: readonly OutlineNode[]): Map<string, number> {
  const places = new Map<string, number>();
  nodes.forEach(({ name, attributes }, place) => {
    for (let at = 0; at < attributes.length; at += 2) {
      const isName = attributes[at] === 'id' || (attributes[at] === 'name' && name === 'a');
      if (isName && !places.has(attributes[at + 1] as string)) places.set(attributes[at + 1] as string, place);
    }
  });
  return places;
}
