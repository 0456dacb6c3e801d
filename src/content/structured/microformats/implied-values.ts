/**
 * The implied properties of microformats 2: an item without a name, a photo or an address takes them from its element,
 * its only child or its only grandchild (parsing specification, 1.3.5).
 */
import type { MarkedPage } from '../marked-page.ts';
import type { StructuredValue } from '../structured-item.ts';
import { formatClasses } from './format-classes.ts';
import type { PropertyValues } from './property-values.ts';

const NAMED = new Set(['img', 'area', 'abbr']);

export class ImpliedValues {
  readonly #page: MarkedPage;
  readonly #values: PropertyValues;

  constructor(page: MarkedPage, values: PropertyValues) {
    this.#page = page;
    this.#values = values;
  }

  name(node: number): string {
    const candidates = [node];
    const only = this.#onlyChild(node);
    if (only !== null && this.#name(only) !== 'img' && !NAMED.has(this.#name(only))) {
      const grandchild = this.#onlyChild(only);
      if (grandchild !== null && NAMED.has(this.#name(grandchild))) candidates.push(grandchild);
    } else if (only !== null) candidates.push(only);
    for (const candidate of candidates) {
      const name = this.#name(candidate);
      if (!NAMED.has(name)) continue;
      const text = this.#page.tree.attribute(candidate, name === 'abbr' ? 'title' : 'alt');
      if (text) return text;
    }
    return this.#values.name(node);
  }

  photo(node: number): StructuredValue | null {
    return this.#linked(node, { img: 'src', object: 'data' });
  }

  url(node: number): StructuredValue | null {
    return this.#linked(node, { a: 'href', area: 'href' });
  }

  #linked(node: number, attributes: Readonly<Record<string, string>>): StructuredValue | null {
    const own = this.#valueOf(node, attributes);
    if (own !== null) return own;
    const child = this.#onlyOfNames(node, attributes);
    if (child !== null) return this.#valueOf(child, attributes);
    const only = this.#onlyChild(node);
    const grandchild = only === null ? null : this.#onlyOfNames(only, attributes);
    return grandchild === null ? null : this.#valueOf(grandchild, attributes);
  }

  #valueOf(node: number, attributes: Readonly<Record<string, string>>): StructuredValue | null {
    const attribute = attributes[this.#name(node)];
    return attribute === undefined || this.#page.tree.attribute(node, attribute) === null
      ? null
      : this.#values.url(node);
  }

  /** The only child with the first of these names that exactly one child has, unless it is an item of its own. */
  #onlyOfNames(node: number, attributes: Readonly<Record<string, string>>): number | null {
    const children = this.#elements(node);
    for (const name of Object.keys(attributes)) {
      const named = children.filter((child) => this.#name(child) === name);
      if (named.length === 1 && !this.#isRoot(named[0] as number)) return named[0] as number;
    }
    return null;
  }

  #onlyChild(node: number): number | null {
    const children = this.#elements(node);
    return children.length === 1 && !this.#isRoot(children[0] as number) ? (children[0] as number) : null;
  }

  #elements(node: number): number[] {
    const { tree, limits } = this.#page;
    const children = tree.children(node);
    limits.takeSteps(children.length);
    return children.filter((child) => tree.nodes[child]?.kind === 'element' && this.#name(child) !== 'template');
  }

  #isRoot(node: number): boolean {
    return formatClasses(this.#page.tree, node, []).roots.length > 0;
  }

  #name(node: number): string {
    return this.#page.tree.nodes[node]!.name;
  }
}
