/**
 * Says why two readings differ. In: the statements that only one of the two made. Out: for each of them the cause and
 * who is right by the specification. Statements about the same property are one difference: what extruct says instead.
 */
import type { ExtructSyntax } from './extruct-pages.ts';
import { PAGE_URL } from './extruct-pages.ts';

export interface Difference {
  readonly path: string;
  /** The statement that only extruct makes, or null. */
  readonly theirs: string | null;
  /** The statement that only Orbweaver makes, or null. */
  readonly ours: string | null;
}

export interface Cause {
  readonly text: string;
  readonly right: 'ours' | 'extruct' | 'both';
  readonly syntax: ExtructSyntax;
  readonly applies: (difference: Difference, html: string) => boolean;
}

export function pairUp(missing: readonly string[], extra: readonly string[]): Difference[] {
  const waiting = new Map<string, string[]>();
  for (const one of extra) {
    const { path, value } = split(one);
    waiting.set(path, [...(waiting.get(path) ?? []), value]);
  }
  const pairs: Difference[] = missing.map((one) => {
    const { path, value } = split(one);
    return { path, theirs: value, ours: waiting.get(path)?.shift() ?? null };
  });
  for (const [path, values] of waiting) for (const ours of values) pairs.push({ path, theirs: null, ours });
  return pairs;
}

function split(statement: string): { path: string; value: string } {
  const at = statement.indexOf(' = ');
  return { path: statement.slice(0, at), value: statement.slice(at + 3) };
}

export function causeOf(syntax: ExtructSyntax, difference: Difference, html: string): Cause | null {
  return CAUSES.find((cause) => cause.syntax === syntax && cause.applies(difference, html)) ?? null;
}

/** A day with a time. Equal days of several items may be paired in another order. */
const ZONED = /^\d{4}-\d\d-\d\dT?\d?\d:\d\d/i;
const BASE = /<base\s[^>]*href/i;
const KNOWN_FORMAT =
  /^h-(?:adr|app|card|cite|entry|event|feed|geo|item|listing|news|product|recipe|resume|review|review-aggregate)$/;
const LINK_TYPE = /\/xhtml\/vocab#(?!role$)[a-z-]+$/i;

const KNOWN_PREFIX = /^(?:og|music|video|article|book|profile|product):/;
/** The classic formats that stand in other classic formats. */
const INNER_FORMAT =
  /\/(?:author|contact|affiliation|experience|education|location|item|review|reviewer|adr|geo|brand|entry|children)(?:\/|$)/;

export const CAUSES: readonly Cause[] = [
  {
    syntax: 'microdata',
    text: 'extruct returns the page for an element without `src` or `href`; the standard says the empty text',
    right: 'ours',
    applies: ({ theirs }) => theirs === PAGE_URL,
  },
  {
    syntax: 'microdata',
    text: 'extruct returns nothing for `<time>` without `datetime`; the standard says its text',
    right: 'ours',
    applies: ({ theirs, ours }, html) => theirs === '' && ours !== null && /<time\b/i.test(html),
  },
  {
    syntax: 'microdata',
    text: 'extruct ignores `<base href>`',
    right: 'ours',
    applies: ({ theirs, ours }, html) => BASE.test(html) && isAddress(theirs ?? ours),
  },
  {
    syntax: 'json-ld',
    text: 'extruct leaves relative ids as they are; ours are relative to `<base href>`',
    right: 'ours',
    applies: ({ path }, html) => path.endsWith('/@id') && BASE.test(html),
  },
  {
    syntax: 'microdata',
    text: 'extruct leaves out the `itemid` of an item without a type',
    right: 'ours',
    applies: ({ path, theirs, ours }) => path.endsWith('/@id') && theirs === null && ours !== null,
  },
  {
    syntax: 'microdata',
    text: 'extruct repeats a property that `itemref` and the item itself contain, or goes into another item; or it gives an item that two items refer to only to the first',
    right: 'ours',
    applies: (_, html) => /\bitemref\b/i.test(html),
  },
  {
    syntax: 'microdata',
    text: 'text of a large element: extruct keeps that of `iframe` and `template`, which no reader sees',
    right: 'both',
    applies: ({ theirs, ours }) => (theirs?.length ?? 0) > 1_000 && (ours?.length ?? 0) > 1_000,
  },
  {
    syntax: 'rdfa',
    text: '`role` attributes, which are no part of RDFa Core (they have a specification of their own)',
    right: 'both',
    applies: ({ path, ours }) => path.endsWith('vocab#role') && ours === null,
  },
  {
    syntax: 'rdfa',
    text: 'link types (`stylesheet`, `icon`, `next` …), which we leave out on purpose; a vocabulary makes them properties',
    right: 'extruct',
    applies: ({ path, ours }) => LINK_TYPE.test(path) && ours === null,
  },
  {
    syntax: 'rdfa',
    text: 'extruct ignores `<time datetime>` (HTML+RDFa 1.1, section 3.1)',
    right: 'ours',
    applies: ({ theirs, ours }, html) =>
      theirs !== null && ours !== null && html.includes(ours) && /<time\b/i.test(html),
  },
  {
    syntax: 'rdfa',
    text: 'markup of XML literals, of which we keep the text',
    right: 'extruct',
    applies: ({ theirs }) => theirs?.startsWith('<') === true,
  },
  {
    syntax: 'microformat',
    text: 'class that begins with `h-` but names no known type; on real pages these are styles',
    right: 'extruct',
    applies: ({ path, ours, theirs }) =>
      ours === null &&
      (path.split(/[/+]/).some((part) => part.startsWith('h-') && !KNOWN_FORMAT.test(part)) ||
        (path.endsWith('/@type') && !KNOWN_FORMAT.test(theirs ?? ''))),
  },
  {
    syntax: 'rdfa',
    text: 'pyRdfa reads pages that declare RDFa 1.0 by the rules of 1.0, without the prefixes that they declare',
    right: 'both',
    applies: ({ theirs }, html) => theirs === null && /\bversion=["']?XHTML\+RDFa 1\.0/i.test(html),
  },
  {
    syntax: 'rdfa',
    text: 'pyRdfa ignores `<base href>`',
    right: 'ours',
    applies: (_, html) => BASE.test(html),
  },
  {
    syntax: 'rdfa',
    text: 'pyRdfa joins addresses with `//` in their path wrongly',
    right: 'ours',
    applies: ({ path }) => path.includes('=%22http:/'),
  },
  {
    syntax: 'opengraph',
    text: '`og:image:url` beside the same `og:image` (ogp.me: they are identical)',
    right: 'both',
    applies: ({ path, ours }) => /^og:(?:image|video|audio)(?::url)?$/.test(path) && ours === null,
  },
  {
    syntax: 'opengraph',
    text: 'extruct does not know the prefixes `fb`, `al`, `business`, `place`, `restaurant` without a declaration',
    right: 'both',
    applies: ({ path, theirs }) => !KNOWN_PREFIX.test(path) && theirs === null,
  },
  {
    syntax: 'opengraph',
    text: 'extruct does not read `<meta name="og:…">`, which ogp.me does not have, but platforms accept',
    right: 'both',
    applies: ({ path, theirs }, html) =>
      theirs === null && new RegExp(`<meta[^>]*\\bname\\s*=\\s*["']?\\s*${path}["'\\s>]`, 'i').test(html),
  },
  {
    syntax: 'opengraph',
    text: 'extruct reads only children of `<head>`; libxml2 ends the head earlier than a browser, or the page has the elements in its body',
    right: 'ours',
    applies: ({ theirs, ours }) => theirs === null && ours !== null,
  },
  {
    syntax: 'dublincore',
    text: 'extruct does not know names with a colon (`dc:title`), nor names in `property`',
    right: 'ours',
    applies: ({ theirs }, html) =>
      theirs === null && /["'\s=](?:dc|dcterms):|property=["']?(?:dc|dcterms)\./i.test(html),
  },
  {
    syntax: 'microformat',
    text: 'mf2py removes the colon of a time zone and the zero of `07:00`; the test suite of microformats has both',
    right: 'ours',
    applies: ({ theirs, ours }) => ZONED.test(theirs ?? '') && ZONED.test(ours ?? ''),
  },
  {
    syntax: 'microformat',
    text: 'images without `alt` whose address is a `data:` URL, which we leave out of texts',
    right: 'extruct',
    applies: ({ theirs, ours }, html) => theirs !== null && ours !== null && /data:/.test(theirs) && html !== '',
  },
  {
    syntax: 'microformat',
    text: 'mf2py does not read hNews, nor the author of a classic feed',
    right: 'ours',
    applies: ({ path }, html) => /^h-(?:news|feed\/author)/.test(path) || /\bhnews\b/.test(html),
  },
  {
    syntax: 'microformat',
    text: 'mf2py does not read the value class pattern on `img`, `area`, `data` and `abbr`, and takes texts of wrong elements',
    right: 'ours',
    applies: ({ path }) => /^h-test-/.test(path),
  },
  {
    syntax: 'microformat',
    text: 'mf2py does not read a classic format in another one (an hCard as author of an hAtom entry), only its text',
    right: 'ours',
    applies: ({ path }, html) =>
      INNER_FORMAT.test(path) && /\b(?:vcard|hentry|hreview|hcard|hproduct|hrecipe|hresume|vevent)\b/.test(html),
  },
];

function isAddress(text: string | null): boolean {
  return text !== null && /^https?:/.test(text);
}
