/**
 * Expands the names of RDFa to addresses (RDFa Core 1.1, section 7.4): terms through the vocabulary, and names with a
 * prefix through the prefixes that the page declares or that every page has.
 */
import type { PageAddress } from '../page-address.ts';
import { readPrefixList } from '../prefix-list.ts';

/** The prefixes of every page (the RDFa initial context), and those of cards, which pages rarely declare. */
const INITIAL_PREFIXES: readonly (readonly [prefix: string, address: string])[] = [
  ['as', 'https://www.w3.org/ns/activitystreams#'],
  ['cc', 'http://creativecommons.org/ns#'],
  ['ctag', 'http://commontag.org/ns#'],
  ['dc', 'http://purl.org/dc/terms/'],
  ['dc11', 'http://purl.org/dc/elements/1.1/'],
  ['dcat', 'http://www.w3.org/ns/dcat#'],
  ['dcterms', 'http://purl.org/dc/terms/'],
  ['foaf', 'http://xmlns.com/foaf/0.1/'],
  ['gr', 'http://purl.org/goodrelations/v1#'],
  ['ical', 'http://www.w3.org/2002/12/cal/icaltzd#'],
  ['og', 'http://ogp.me/ns#'],
  ['org', 'http://www.w3.org/ns/org#'],
  ['owl', 'http://www.w3.org/2002/07/owl#'],
  ['prov', 'http://www.w3.org/ns/prov#'],
  ['rdf', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'],
  ['rdfa', 'http://www.w3.org/ns/rdfa#'],
  ['rdfs', 'http://www.w3.org/2000/01/rdf-schema#'],
  ['rev', 'http://purl.org/stuff/rev#'],
  ['schema', 'http://schema.org/'],
  ['sioc', 'http://rdfs.org/sioc/ns#'],
  ['skos', 'http://www.w3.org/2004/02/skos/core#'],
  ['skosxl', 'http://www.w3.org/2008/05/skos-xl#'],
  ['v', 'http://rdf.data-vocabulary.org/#'],
  ['vcard', 'http://www.w3.org/2006/vcard/ns#'],
  ['void', 'http://rdfs.org/ns/void#'],
  ['xhv', 'http://www.w3.org/1999/xhtml/vocab#'],
  ['xml', 'http://www.w3.org/XML/1998/namespace'],
  ['xsd', 'http://www.w3.org/2001/XMLSchema#'],
];
const XHTML = 'http://www.w3.org/1999/xhtml/vocab#';
const TERMS: Readonly<Record<string, string>> = {
  describedby: 'http://www.w3.org/2007/05/powder-s#describedby',
  license: `${XHTML}license`,
};
const TERM = /^[A-Za-z_\u00c0-\uffff][\w.\-\u00b7-\uffff/]*$/;
/** A word with another beginning before its colon is neither a name nor an address (RFC 3986, section 3.1). */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const MAX_PREFIXES = 100;

/** The vocabulary and the prefixes at one place of a page. Elements that declare nothing share those around them. */
export class RdfaNames {
  readonly #prefixes: ReadonlyMap<string, string>;
  readonly #vocabulary: string;

  constructor(prefixes: ReadonlyMap<string, string> = new Map(INITIAL_PREFIXES), vocabulary = '') {
    this.#prefixes = prefixes;
    this.#vocabulary = vocabulary;
  }

  /** The names inside an element that has `vocab`, `prefix` or `xmlns:` attributes. An empty `vocab` resets it. */
  extend(
    vocabulary: string | null,
    prefixText: string | null,
    namespaces: ReadonlyMap<string, string> | null,
  ): RdfaNames {
    let prefixes = this.#prefixes;
    if (prefixText !== null || namespaces !== null) {
      const declared = new Map(prefixes);
      for (const [prefix, address] of namespaces ?? []) if (declared.size < MAX_PREFIXES) declared.set(prefix, address);
      for (const [prefix, address] of readPrefixList(prefixText)) {
        if (declared.size < MAX_PREFIXES) declared.set(prefix, address);
      }
      prefixes = declared;
    }
    return new RdfaNames(prefixes, vocabulary === null ? this.#vocabulary : vocabulary.trim());
  }

  /** The address of a property or a type, or null if the word names nothing. */
  expand(word: string): string | null {
    const colon = word.indexOf(':');
    if (colon >= 0) return this.#fromPrefix(word, colon) ?? (SCHEME.test(word) ? word : null);
    if (!TERM.test(word)) return null;
    return this.#vocabulary !== '' ? this.#vocabulary + word : (TERMS[word.toLowerCase()] ?? null);
  }

  /** The address in `about` or `resource`: an address, a name with a prefix, or a name in brackets. */
  expandResource(text: string, address: PageAddress): string | null {
    const trimmed = text.trim();
    const isSafe = trimmed.startsWith('[') && trimmed.endsWith(']');
    const word = isSafe ? trimmed.slice(1, -1) : trimmed;
    if (word.startsWith('_:')) return word === '_:' ? '_:_' : word;
    const colon = word.indexOf(':');
    const known = colon < 0 ? null : this.#fromPrefix(word, colon);
    if (known !== null) return known;
    if (isSafe) return null;
    return word === '' ? address.base : address.resolve(word);
  }

  #fromPrefix(word: string, colon: number): string | null {
    // `http://…` is an address, even if a page declares the prefix `http`.
    if (word.startsWith('//', colon + 1)) return null;
    if (colon === 0) return XHTML + word.slice(1);
    const address = this.#prefixes.get(word.slice(0, colon).toLowerCase());
    return address === undefined ? null : address + word.slice(colon + 1);
  }
}
