/**
 * What an element is called in a report: `div#next`, `a.more`, `a.more:2`, `button:3`. The part before the colon is a CSS selector, and
 * the number says which of the elements that it selects is meant, counted from 1 in the order of the document; without one it
 * is the first. Ids come first, since they stay when others are put before an element.
 */
const MAX_COUNTED = 20_000;
const MAX_REMEMBERED = 1_000;
const MAX_NAME_CHARS = 64;
/** What needs no escape in a selector. */
const PLAIN_NAME = /^-?[A-Za-z_\u00a1-\uffff][\w\u00a1-\uffff-]*$/;
const PLAIN_TAG = /^[a-z][a-z0-9-]*$/;

export class ElementNames {
  readonly #counts = new Map<string, number>();
  /** Classes as written → their names. Pages write the same few over and over. */
  readonly #names = new Map<string, readonly string[]>();

  /** Counts a start tag; to be told of each. */
  count(tag: string, classes: string): void {
    this.#add(tag);
    if (classes === '') return;
    for (const name of this.#namesOf(classes)) this.#add(`${tag}.${name}`);
  }

  /** The name of the element that was counted last. */
  nameOf(tag: string, id: string, classes: string): string {
    if (!PLAIN_TAG.test(tag) || tag.length > MAX_NAME_CHARS) return '*';
    if (isPlain(id)) return `${tag}#${id}`;
    const name = this.#namesOf(classes)[0];
    const selector = name === undefined ? tag : `${tag}.${name}`;
    const place = this.#counts.get(selector) ?? 1;
    // Of these a document has one.
    return place === 1 || tag === 'body' || tag === 'html' ? selector : `${selector}:${place}`;
  }

  #namesOf(classes: string): readonly string[] {
    let names = this.#names.get(classes);
    if (names === undefined) {
      names = namesOf(classes);
      if (this.#names.size < MAX_REMEMBERED) this.#names.set(classes, names);
    }
    return names;
  }

  #add(selector: string): void {
    const count = this.#counts.get(selector);
    if (count !== undefined) this.#counts.set(selector, count + 1);
    else if (this.#counts.size < MAX_COUNTED) this.#counts.set(selector, 1);
  }
}

function isPlain(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && PLAIN_NAME.test(name);
}

/** The first few, which are enough to tell elements apart. */
function namesOf(classes: string): string[] {
  const names = classes
    .slice(0, 1_000)
    .split(/[\t\n\f\r ]+/)
    .filter(isPlain);
  return names.length > 1 ? [...new Set(names)] : names;
}
