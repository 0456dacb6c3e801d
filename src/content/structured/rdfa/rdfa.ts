/**
 * Reads RDFa 1.1: Lite (vocab, typeof, property, resource, prefix) and the common part of Core (about, rel, rev, href,
 * src, content, datatype) by the rules of RDFa Core 1.1, section 7.5, and HTML+RDFa 1.1.
 *
 * In: a page. Out: the things that it describes. Properties of Open Graph and Twitter cards are left to their readers.
 * Lists (`inlist`) are read as ordinary values, and markup in a value as its text.
 */
import { isCardName } from '../find-markup.ts';
import type { MarkedPage } from '../marked-page.ts';
import { type StructuredItem, splitWords } from '../structured-item.ts';
import { subtreeText } from '../subtree-text.ts';
import { RdfaAttributes } from './rdfa-attributes.ts';
import { RdfaGraph, type RdfaObject } from './rdfa-graph.ts';
import { RdfaNames } from './rdfa-names.ts';

/** A statement that waits for its object, or, if it is reversed, for its subject. */
interface OpenStatement {
  readonly property: string;
  readonly isReversed: boolean;
}

/** The state inside an element. */
interface Surroundings {
  /** The index after the last node of the element. */
  readonly end: number;
  readonly names: RdfaNames;
  readonly subject: string;
  readonly object: string;
  readonly open: readonly OpenStatement[];
}

const NONE: readonly OpenStatement[] = [];

export function readRdfa(page: MarkedPage): StructuredItem[] {
  return page.markup.hasRdfa ? new RdfaReader(page).read() : [];
}

class RdfaReader {
  readonly #page: MarkedPage;
  readonly #graph: RdfaGraph;
  readonly #surroundings: Surroundings[] = [];

  constructor(page: MarkedPage) {
    this.#page = page;
    this.#graph = new RdfaGraph(page.limits);
    const { base } = page.address;
    const end = page.tree.nodes.length;
    this.#surroundings.push({ end, names: new RdfaNames(), subject: base, object: base, open: NONE });
  }

  read(): StructuredItem[] {
    const { tree } = this.#page;
    for (let at = 0; at < tree.nodes.length; at++) {
      const { attributes, name } = tree.nodes[at]!;
      if (attributes.length === 0) continue;
      const own = new RdfaAttributes(name, attributes);
      if (!own.isRelevant) continue;
      while (this.#surroundings.length > 1 && at >= this.#surroundings.at(-1)!.end) this.#surroundings.pop();
      const inside = this.#element(at, own, this.#surroundings.at(-1)!);
      if (inside.end > at + 1) this.#surroundings.push(inside);
    }
    return this.#graph.items();
  }

  #element(node: number, own: RdfaAttributes, around: Surroundings): Surroundings {
    const names = own.declaresNames ? around.names.extend(own.vocab, own.prefix, own.namespaces) : around.names;
    const end = this.#page.tree.end(node);
    const properties = this.#expandAll(own.property, names).filter(
      (property) => !own.isMeta || !isCardName(property.word),
    );
    const forward = this.#relations(own.rel, own, names);
    const backward = this.#relations(own.rev, own, names);
    const hasRelation = forward !== null || backward !== null;

    const about = own.about === null ? null : names.expandResource(own.about, this.#page.address);
    const target = this.#target(own, names);
    const { subject, object, typed, isPassive } = hasRelation
      ? this.#withRelation(own, around, about, target)
      : this.#withoutRelation(own, around, about, target);

    if (typed !== null) {
      for (const { address } of this.#expandAll(own.typeOf, names)) this.#graph.addType(typed, address);
    }
    let inner = object;
    let open = NONE;
    if (hasRelation) {
      const statements = [
        ...(forward ?? []).map((property) => ({ property, isReversed: false })),
        ...(backward ?? []).map((property) => ({ property, isReversed: true })),
      ];
      if (object === null) {
        open = statements;
        inner = this.#graph.newThing();
      } else for (const statement of statements) this.#complete(statement, subject, object);
    }
    if (properties.length > 0) {
      const value = this.#value(node, own, { hasRelation, target, typed, about });
      for (const { address } of properties) this.#graph.add(subject, address, value);
    }
    if (isPassive) return { ...around, end, names };
    for (const statement of around.open) this.#complete(statement, around.subject, subject);
    return { end, names, subject, object: inner ?? subject, open };
  }

  /** Step 6: the element has `rel` or `rev`. */
  #withRelation(own: RdfaAttributes, around: Surroundings, about: string | null, target: string | null) {
    const subject = about ?? around.object;
    const isTyped = own.typeOf !== null;
    const object = target ?? (isTyped && about === null ? this.#graph.newThing() : null);
    return { subject, object, typed: isTyped ? (about ?? object) : null, isPassive: false };
  }

  /** Step 5: the element has neither. */
  #withoutRelation(own: RdfaAttributes, around: Surroundings, about: string | null, target: string | null) {
    const isTyped = own.typeOf !== null;
    if (own.property !== null && own.content === null && own.datatype === null) {
      const subject = about ?? around.object;
      const typed = isTyped ? (about ?? target ?? this.#graph.newThing()) : null;
      return { subject, object: typed, typed, isPassive: false };
    }
    const explicit = about ?? target ?? (isTyped ? this.#graph.newThing() : null);
    const subject = explicit ?? around.object;
    const isPassive = explicit === null && own.property === null;
    return { subject, object: null, typed: isTyped ? subject : null, isPassive };
  }

  /** Step 11: the value of `property`. */
  #value(node: number, own: RdfaAttributes, { hasRelation, target, typed, about }: ValueSources): RdfaObject {
    if (own.content !== null) return { text: own.content };
    if (own.datetime !== null) return { text: own.datetime };
    if (own.datatype === null) {
      if (!hasRelation && target !== null) return { thing: target };
      if (typed !== null && about === null) return { thing: typed };
    }
    return { text: subtreeText(this.#page.tree, node, this.#page.limits) };
  }

  #target(own: RdfaAttributes, names: RdfaNames): string | null {
    const { address } = this.#page;
    if (own.resource !== null) return names.expandResource(own.resource, address);
    const link = own.href ?? own.src;
    return link === null ? null : link.trim() === '' ? address.base : address.resolve(link);
  }

  #complete({ property, isReversed }: OpenStatement, subject: string, object: string): void {
    if (isReversed) this.#graph.add(object, property, { thing: subject });
    else this.#graph.add(subject, property, { thing: object });
  }

  #expandAll(words: string | null, names: RdfaNames): { word: string; address: string }[] {
    return splitWords(words).flatMap((word) => {
      const address = names.expand(word);
      return address === null ? [] : [{ word, address }];
    });
  }

  /** Null if the attribute does not count. Beside `property`, words without a prefix are the link types of HTML. */
  #relations(words: string | null, own: RdfaAttributes, names: RdfaNames): string[] | null {
    if (words === null) return null;
    const all = splitWords(words);
    const counted = own.property === null ? all : all.filter((word) => word.includes(':'));
    if (counted.length === 0) return null;
    return counted.flatMap((word) => {
      const address = HTML_LINK_TYPES.has(word.toLowerCase()) ? null : names.expand(word);
      return address === null ? [] : [address];
    });
  }
}

interface ValueSources {
  readonly hasRelation: boolean;
  readonly target: string | null;
  readonly typed: string | null;
  readonly about: string | null;
}

/**
 * These words say something to browsers and search engines, not about things. A vocabulary would make them properties.
 */
const HTML_LINK_TYPES = new Set(
  (
    'alternate apple-touch-icon bookmark canonical dns-prefetch external icon manifest me modulepreload next nofollow ' +
    'noopener noreferrer opener pingback preconnect prefetch preload prev search shortcut shortlink sponsored ' +
    'stylesheet tag ugc'
  ).split(' '),
);
