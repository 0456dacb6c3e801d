/** The values of properties of microformats 2: of `p-`, `u-`, `dt-` and `e-` classes (parsing specification, 1.3). */
import type { MarkedPage } from '../marked-page.ts';
import { addValue, draftItem, type StructuredValue, splitWords } from '../structured-item.ts';
import { subtreeText } from '../subtree-text.ts';
import { type DateValue, joinDateParts, normalizeDate } from './date-values.ts';

/** The attribute that holds a text, an address or a date, by element. */
const TEXT_ATTRIBUTES = { abbr: 'title', link: 'title', data: 'value', input: 'value', img: 'alt', area: 'alt' };
const URL_ATTRIBUTES = {
  ...{ a: 'href', area: 'href', link: 'href', img: 'src', audio: 'src', video: 'src', source: 'src', iframe: 'src' },
  object: 'data',
};
const PLAIN_ATTRIBUTES = { abbr: 'title', data: 'value', input: 'value' };
const DATE_ATTRIBUTES = { time: 'datetime', ins: 'datetime', del: 'datetime', ...PLAIN_ATTRIBUTES };
const PART_ATTRIBUTES = { ...DATE_ATTRIBUTES, img: 'alt', area: 'alt' };

export class PropertyValues {
  readonly #page: MarkedPage;

  constructor(page: MarkedPage) {
    this.#page = page;
  }

  text(node: number): string {
    return this.#joinedParts(node) ?? this.#attribute(node, TEXT_ATTRIBUTES) ?? this.content(node);
  }

  url(node: number): StructuredValue {
    const { tree, address, limits } = this.#page;
    const { name } = tree.nodes[node]!;
    if (limits.textLeft <= 0) return '';
    const link = this.#attribute(node, URL_ATTRIBUTES) ?? (name === 'video' ? tree.attribute(node, 'poster') : null);
    // An empty address is the page itself.
    const url = limits.takeText(address.resolve(link ?? this.#plainText(node)) || address.base);
    if (link === null) return url;
    const alt = name === 'img' ? tree.attribute(node, 'alt') : null;
    if (alt === null) return url;
    const item = draftItem('microformats');
    item.value = url;
    addValue(item, 'alt', alt);
    return item;
  }

  date(node: number, earlierDate: string | null): DateValue {
    const parts = this.#parts(node);
    const joined =
      parts.length === 0
        ? null
        : joinDateParts(
            parts.map((part) => this.#datePart(part)),
            earlierDate,
          );
    return joined ?? normalizeDate(this.#attribute(node, DATE_ATTRIBUTES) ?? this.content(node), earlierDate);
  }

  /** The text of the whole element, with the alternative texts of images, or with their addresses. */
  content(node: number): string {
    return this.#textWith(node, (image) => this.#alternative(image) ?? this.#source(image));
  }

  /** The text of an implied name: images without an alternative text say nothing. */
  name(node: number): string {
    return this.#textWith(node, (image) => this.#alternative(image) ?? '');
  }

  #textWith(node: number, imageText: (image: number) => string): string {
    return subtreeText(this.#page.tree, node, this.#page.limits, { imageText });
  }

  #alternative(image: number): string | null {
    return this.#page.tree.attribute(image, 'alt');
  }

  /** Images that are written in the page itself have no address that a text could contain. */
  #source(image: number): string {
    const source = this.#page.tree.attribute(image, 'src')?.trim() ?? '';
    return /^data:/i.test(source) ? '' : this.#page.address.resolve(source);
  }

  #plainText(node: number): string {
    return this.#joinedParts(node) ?? this.#attribute(node, PLAIN_ATTRIBUTES) ?? this.content(node);
  }

  #attribute(node: number, byElement: Readonly<Record<string, string>>): string | null {
    const { tree } = this.#page;
    const { name } = tree.nodes[node]!;
    const value = Object.hasOwn(byElement, name) ? tree.attribute(node, byElement[name] as string) : null;
    return value === null ? null : this.#page.limits.takeText(value);
  }

  /** The value class pattern: children with the class `value` hold the value. */
  #parts(node: number): number[] {
    const { tree, limits } = this.#page;
    const children = tree.children(node);
    limits.takeSteps(children.length);
    return children.filter((child) => {
      const classText = tree.attribute(child, 'class');
      if (classText === null || !classText.includes('value')) return false;
      const words = splitWords(classText);
      return words.includes('value') || words.includes('value-title');
    });
  }

  #joinedParts(node: number): string | null {
    const parts = this.#parts(node);
    if (parts.length === 0) return null;
    return parts
      .map((part) => this.#titleOf(part) ?? this.#attribute(part, TEXT_ATTRIBUTES) ?? this.content(part))
      .join('');
  }

  #datePart(node: number): string {
    return (this.#titleOf(node) ?? (this.#attribute(node, PART_ATTRIBUTES) || this.content(node))).trim();
  }

  /** `<span class="value-title" title="2012-01-01">` has its value in the title. */
  #titleOf(node: number): string | null {
    const { tree } = this.#page;
    return splitWords(tree.attribute(node, 'class')).includes('value-title') ? tree.attribute(node, 'title') : null;
  }
}
