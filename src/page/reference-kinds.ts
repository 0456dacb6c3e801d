/**
 * The kinds of references and their classes: the one table. The crawl, the options `--assets` and `--guess`, the
 * documentation (docs/references.md) and the tests derive from it. reference-table.ts says where each kind is written.
 *
 * A document leads to another page and is followed by default. An asset is a part of the page, or a document that
 * belongs to it without a visible link, and is followed with `--assets`. A guess is a text that looks like a URL, or a
 * URL that no reader follows, and is followed with `--guess`.
 */
export const REFERENCE_CLASSES = ['document', 'asset', 'guess'] as const;

export type ReferenceClass = (typeof REFERENCE_CLASSES)[number];

export const CLASS_OF_KIND = {
  a: 'document',
  area: 'document',
  iframe: 'document',
  frame: 'document',
  'meta-refresh': 'document', // also the HTTP header Refresh
  canonical: 'document',
  alternate: 'document',
  pagination: 'document', // rel=next, rel=prev
  related: 'document', // any other rel that names a page: author, help, license, up …
  feed: 'document', // a feed that a page links to, or an entry of a feed
  sitemap: 'document', // a sitemap that a page links to, or an entry; rel is 'sitemap' if it leads to a sitemap
  form: 'document', // a form that can be sent with GET as it is
  header: 'document', // Content-Location, and Location of a response that is not a redirect
  speculation: 'document', // speculation rules
  link: 'asset', // any other <link>: preload, manifest, search …
  stylesheet: 'asset',
  icon: 'asset',
  script: 'asset', // also imports, workers and import maps
  img: 'asset',
  media: 'asset', // video, audio, source, track, enclosures
  embed: 'asset', // embed, object, applet
  font: 'asset',
  'css-image': 'asset', // any other url() of a style sheet
  svg: 'asset',
  lazy: 'asset', // attributes that scripts turn into src
  manifest: 'asset', // the entries of a web app manifest, a cache manifest or an OpenSearch description
  preview: 'asset', // images and media in <meta>, which other sites show
  cite: 'asset',
  description: 'asset', // longdesc
  math: 'asset', // MathML href
  transform: 'asset', // style sheets of XML: XSLT
  action: 'guess', // a form that is not sent with GET, or that needs input
  ping: 'guess',
  attribute: 'guess', // any other attribute that looks like a URL
  meta: 'guess', // any other <meta> with a URL
  comment: 'guess', // markup in a comment
  text: 'guess', // a URL in text
  string: 'guess', // a string in a script
  json: 'guess', // a string in JSON
  xml: 'guess', // an attribute of an XML document of an unknown kind
} as const satisfies Readonly<Record<string, ReferenceClass>>;

/** The place where a link was written. */
export type LinkKind = keyof typeof CLASS_OF_KIND;

export const LINK_KINDS = Object.keys(CLASS_OF_KIND) as readonly LinkKind[];

export const DOCUMENT_LINK_KINDS = kindsOf('document');

export function kindsOf(wanted: ReferenceClass): readonly LinkKind[] {
  return LINK_KINDS.filter((kind) => CLASS_OF_KIND[kind] === wanted);
}

/** The classes that the rules of a crawl follow. */
export function classesWanted({
  assets,
  guess,
}: {
  readonly assets: boolean;
  readonly guess: boolean;
}): ReferenceClasses {
  return CLASS_SETS[(assets ? 1 : 0) + (guess ? 2 : 0)]!;
}

export type ReferenceClasses = ReadonlySet<ReferenceClass>;

const CLASS_SETS: readonly ReferenceClasses[] = [
  new Set<ReferenceClass>(['document']),
  new Set<ReferenceClass>(['document', 'asset']),
  new Set<ReferenceClass>(['document', 'guess']),
  new Set<ReferenceClass>(['document', 'asset', 'guess']),
];
