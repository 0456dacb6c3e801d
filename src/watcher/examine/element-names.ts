/**
 * The name of an element in a report: `div#next`, `a.more`, `a.more:2`, `button:3`. The part before the colon is a CSS
 * selector. The number says which of the selected elements is meant, counted from 1 in document order; without a number
 * it is the first. Ids are preferred, because they stay the same when elements are inserted before.
 */
const MAX_COUNTED = 20_000;
const MAX_REMEMBERED = 1_000;
const MAX_NAME_CHARS = 64;
/** Names that need no escape in a selector. */
const PLAIN_NAME = /^-?[A-Za-z_\u00a1-\uffff][\w\u00a1-\uffff-]*$/;
const PLAIN_TAG = /^[a-z][a-z0-9-]*$/;

export class ElementNames {
  readonly #counts = new Map<string, number>();
  /** Class attribute → class names. Pages repeat the same few attributes. */
  readonly #names = new Map<string, readonly string[]>();

  /** Counts a start tag. It must be called for each start tag. */
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
    // A document has only one of these.
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

/** Returns the plain names among the first 1,000 characters, which are enough to tell elements apart. */
function namesOf(classes: string): string[] {
  const names = classes
    .slice(0, 1_000)
    .split(/[\t\n\f\r ]+/)
    .filter(isPlain);
  return names.length > 1 ? [...new Set(names)] : names;
}
