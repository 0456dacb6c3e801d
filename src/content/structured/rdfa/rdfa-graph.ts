/**
 * The statements of a page in RDFa, and the items that they make. A thing that another thing refers to is a value of
 * it, at the first reference; further references carry only its id. A thing that nothing refers to is outermost. A
 * thing that copies a pattern has the statements of the pattern (HTML+RDFa 1.1, section 3.5).
 */
import type { ReadingLimits } from '../reading-limits.ts';
import { addValue, draftItem, type ItemDraft, type StructuredItem, shortenName } from '../structured-item.ts';

/** A text, or the name of a thing. Names of things without an address begin with `_:`. */
export type RdfaObject = { readonly text: string } | { readonly thing: string };

const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const COPY = 'http://www.w3.org/ns/rdfa#copy';
const PATTERN = 'http://www.w3.org/ns/rdfa#Pattern';

interface Statement {
  readonly property: string;
  readonly object: RdfaObject;
}

interface Thing {
  readonly types: string[];
  statements: Statement[];
}

export class RdfaGraph {
  readonly #things = new Map<string, Thing>();
  readonly #referred = new Set<string>();
  /** The things without an address that several statements refer to. They get an id, so that they can be found. */
  readonly #shared = new Set<string>();
  readonly #limits: ReadingLimits;
  #nameless = 0;

  constructor(limits: ReadingLimits) {
    this.#limits = limits;
  }

  /** The name of a new thing that has no address. A page cannot write this name. */
  newThing(): string {
    return `_: ${this.#nameless++}`;
  }

  addType(thing: string, type: string): void {
    if (!this.#limits.takeValue()) return;
    const { types } = this.#thing(thing);
    if (!types.includes(type) && types.length < 20) types.push(type);
  }

  add(subject: string, property: string, object: RdfaObject): void {
    // `property="rdf:type"` says the same as `typeof`.
    if (property === RDF_TYPE && 'thing' in object) {
      this.addType(subject, object.thing);
      return;
    }
    if (!this.#limits.takeValue()) return;
    const text = this.#limits.takeText('text' in object ? object.text : object.thing);
    this.#thing(subject).statements.push({ property, object: 'text' in object ? { text } : object });
    if (!('thing' in object) || object.thing === subject) return;
    if (this.#referred.has(object.thing)) this.#shared.add(object.thing);
    this.#referred.add(object.thing);
  }

  items(): StructuredItem[] {
    this.#copyPatterns();
    const items: StructuredItem[] = [];
    const done = new Set<string>();
    for (const name of this.#things.keys()) if (!this.#referred.has(name)) items.push(this.#item(name, done, 0));
    // Things that refer to each other in a circle have no outermost one. The first of them becomes it.
    for (const name of this.#things.keys()) if (!done.has(name)) items.push(this.#item(name, done, 0));
    return items;
  }

  #copyPatterns(): void {
    const patterns = new Set<string>();
    for (const [name, { types }] of this.#things) if (types.includes(PATTERN)) patterns.add(name);
    if (patterns.size === 0) return;
    const used = new Set<string>();
    for (const [subject, thing] of this.#things) {
      if (!patterns.has(subject)) thing.statements = this.#withPatterns(subject, thing, patterns, used);
    }
    // A pattern that nothing copies stays a thing.
    for (const name of used) this.#things.delete(name);
  }

  /** The statements of a thing, and those of the patterns that it copies. Patterns may copy patterns. */
  #withPatterns(subject: string, { statements }: Thing, patterns: ReadonlySet<string>, used: Set<string>): Statement[] {
    const all: Statement[] = [];
    const copied = new Set<string>();
    const pending = [...statements].reverse();
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { property, object } = next;
      if (property !== COPY || !('thing' in object) || !patterns.has(object.thing)) {
        all.push(next);
        continue;
      }
      if (copied.has(object.thing)) continue;
      copied.add(object.thing);
      used.add(object.thing);
      const pattern = this.#thing(object.thing);
      for (const type of pattern.types) if (type !== PATTERN) this.addType(subject, type);
      for (let at = pattern.statements.length - 1; at >= 0 && this.#limits.takeValue(); at--) {
        const statement = pattern.statements[at] as Statement;
        if ('thing' in statement.object) this.#shared.add(statement.object.thing);
        pending.push(statement);
      }
    }
    return all;
  }

  #item(name: string, done: Set<string>, depth: number): ItemDraft {
    const item = draftItem('rdfa');
    if (!name.startsWith('_:')) item.id = name;
    else if (this.#shared.has(name)) item.id = name.replace(' ', '');
    const thing = this.#things.get(name);
    if (done.has(name) || thing === undefined || !this.#limits.allowsNesting(depth)) return item;
    done.add(name);
    item.types = thing.types.map(shortenName);
    for (const { property, object } of thing.statements) {
      addValue(item, shortenName(property), 'text' in object ? object.text : this.#value(object.thing, done, depth));
    }
    return item;
  }

  /** An address about which the page says nothing is a plain text. */
  #value(name: string, done: Set<string>, depth: number): string | StructuredItem {
    if (!this.#things.has(name) && !name.startsWith('_:')) return name;
    return this.#item(name, done, depth + 1);
  }

  #thing(name: string): Thing {
    let thing = this.#things.get(name);
    if (thing === undefined) {
      thing = { types: [], statements: [] };
      this.#things.set(name, thing);
    }
    return thing;
  }
}
