/**
 * Reads the references of one element: the rows of reference-table.ts, and the elements that need more than one
 * attribute.
 */
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { kindOfRel } from '../html/link-rel.ts';
import type { AttributeReader } from '../html/read-attributes.ts';
import { parseMetaRefresh } from '../html/refresh.ts';
import { trimUrl } from '../html/scan-tag.ts';
import { splitSrcset } from '../html/srcset.ts';
import { CLASS_OF_KIND, type LinkKind } from '../reference-kinds.ts';
import { readForm } from './form.ts';
import { looksLikeUrl } from './guess-strings.ts';
import { reportUris } from './header.ts';
import { ATTRIBUTE_ROWS, type AttributeRow } from './reference-table.ts';
import type { ReferenceScope } from './sink.ts';

/** Where an element is. */
export interface ElementPlace {
  readonly document: DocumentBytes;
  /** The position of its `<`. */
  readonly less: number;
  readonly inside: 'svg' | 'math' | null;
  /** Whether links to documents are read too. */
  readonly readsDocuments: boolean;
  /** Reads a document that is the value of an attribute. */
  readonly inner: (html: string) => void;
}

const MAX_URLS = 100;
const MAX_FORMS = 1_000;
const PARAM_NAMES = new Set(
  'movie src url filename file data href source code object image thumbnail flashvars_src swf link'.split(' '),
);
/** In `<meta>`: names of images and media, and names of other URLs. Any other content counts if it looks like a URL. */
const PREVIEW =
  /^(?:(?:og|twitter):(?:image|video|audio|player)|thumbnail|msapplication-(?:tileimage|square|wide)|image$)/;
const NO_URL = /(?:width|height|type|alt|tag)$/;
const XML_TRANSFORMS = new Set(['xsl:import', 'xsl:include', 'xi:include', 'xsl:import-schema']);

export function readElement(
  name: string,
  attributes: AttributeReader,
  place: ElementPlace,
  scope: ReferenceScope,
): void {
  const { sink } = scope;
  if (name === 'link') readLink(attributes, place, scope);
  else if (name === 'meta') readMeta(attributes, place, scope);
  else if (name === 'param') readParam(attributes, scope);
  else if (name === 'form' && sink.forms++ < MAX_FORMS) {
    // The quick scan reads the forms of a page, but not those in its nested parts.
    const { urls, actions } = readForm(place.document, place.less, scope.pageUrl);
    if (place.readsDocuments) for (const url of urls) sink.add(url, 'form');
    for (const action of actions) sink.add(action, 'action');
  }
  const list = attributes.attributes;
  for (let i = 0; i < list.length; i += 2) {
    const attribute = list[i]!;
    const value = list[i + 1]!;
    if (value === '' || attribute === 'codebase') continue;
    const row = rowOf(name, attribute, place.inside, scope);
    if (row !== undefined) readRow(row, value, attributes, place, scope);
    else if (sink.wantsGuesses || scope.isXml) readUnknown(name, attribute, value, scope);
  }
}

type Rows = ReadonlyMap<string, AttributeRow>;

/** By place, element and attribute. */
const ROWS = new Map<string, Map<string, AttributeRow>>();
for (const row of ATTRIBUTE_ROWS) {
  for (const on of row.on.split(' ')) {
    const key = `${row.inside ?? ''} ${on}`;
    const rows = ROWS.get(key) ?? new Map<string, AttributeRow>();
    ROWS.set(key, rows);
    for (const attribute of row.attributes.split(' ')) rows.set(attribute, row);
  }
}
const ANY: Rows = ROWS.get(' *')!;

/** The row of the table for an attribute of an element; undefined if the attribute is no reference. */
export function rowOf(
  name: string,
  attribute: string,
  inside: 'svg' | 'math' | null,
  { isXml }: Pick<ReferenceScope, 'isXml'>,
): AttributeRow | undefined {
  const own = ROWS.get(` ${name}`)?.get(attribute);
  if (own !== undefined) return own;
  if (inside !== null) {
    const row = ROWS.get(`${inside} ${name}`)?.get(attribute) ?? ROWS.get(`${inside} *`)!.get(attribute);
    if (row !== undefined) return row;
  }
  return isXml && attribute === 'style' ? undefined : ANY.get(attribute);
}

function readRow(
  { kind, reads, inside }: AttributeRow,
  value: string,
  attributes: AttributeReader,
  place: ElementPlace,
  scope: ReferenceScope,
): void {
  const { sink } = scope;
  const isDocument = CLASS_OF_KIND[kind] === 'document';
  const codebase = kind === 'embed' ? attributes.value('codebase') : undefined;
  if (reads === 'html') {
    place.inner(value);
    return;
  }
  if (isDocument && /^\s*javascript:/i.test(value)) {
    sink.script(value);
    return;
  }
  if (isDocument && !place.readsDocuments) return;
  switch (reads) {
    case 'css':
      sink.css(value);
      break;
    case 'srcset':
      for (const href of splitSrcset(value, MAX_URLS)) sink.add(href, kind);
      break;
    case 'urls':
      for (const href of value.split(/[\s,]+/).slice(0, MAX_URLS)) sink.add(resolved(href, codebase, scope), kind);
      break;
    case 'values':
      if (animatesUrl(attributes))
        for (const href of value.split(';').slice(0, MAX_URLS)) sink.add(trimUrl(href), kind);
      break;
    default:
      if (inside === 'svg' && attributes.value('attributename') !== undefined && !animatesUrl(attributes)) return;
      sink.add(resolved(trimUrl(value), codebase, scope), kind, '', isDocument ? (attributes.value('rel') ?? '') : '');
  }
}

/** An animation of SVG that changes a link. */
export function animatesUrl(attributes: Pick<AttributeReader, 'value'>): boolean {
  return /^(?:xlink:)?href$|^src$/i.test(attributes.value('attributename') ?? '');
}

/** The URLs of `<object>` and `<applet>` are relative to their codebase. */
function resolved(href: string, codebase: string | undefined, { base }: ReferenceScope): string {
  if (codebase === undefined || href === '') return href;
  return URL.parse(href, URL.parse(codebase.trim(), base)?.href ?? base)?.href ?? href;
}

function readUnknown(name: string, attribute: string, value: string, scope: ReferenceScope): void {
  const { sink } = scope;
  const text = trimUrl(value);
  if (scope.isXml) {
    if (XML_TRANSFORMS.has(name) && attribute === 'href') sink.add(text, 'transform');
    else if (scope.root === 'browserconfig' && attribute === 'src') sink.add(text, 'manifest');
    else if (scope.root === 'opensearchdescription' && attribute === 'template') readTemplate(text, scope);
    else if (!attribute.startsWith('xmlns') && looksLikeUrl(text)) sink.guess(text, 'xml');
  } else if (attribute.startsWith('on')) sink.script(value);
  else if (NOT_REFERENCES.has(attribute) || (name === 'meta' && attribute === 'content')) return;
  else if (looksLikeUrl(text)) sink.guess(text, 'attribute');
  else if (attribute.startsWith('data-') || name.includes('-')) sink.quoted(value, 'attribute');
}

/** An OpenSearch template. Optional parameters may be empty; a template with another parameter needs input. */
function readTemplate(template: string, { sink }: ReferenceScope): void {
  const url = template.replace(/\{[\w:]{1,50}\?\}/g, '');
  if (!url.includes('{')) sink.add(url, 'manifest');
}

/** Attributes that look like URLs without being references, or that another function reads. */
const NOT_REFERENCES: ReadonlySet<string> = new Set([
  ...[
    'usemap',
    'xmlns',
    'href',
    'action',
    'formaction',
    'value',
    'alt',
    'title',
    'placeholder',
    'codetype',
    'integrity',
  ],
  ...[
    'class',
    'id',
    'for',
    'headers',
    'pattern',
    'content',
    'vocab',
    'prefix',
    'typeof',
    'datatype',
    'property',
    'name',
  ],
]);

function readLink(attributes: AttributeReader, { readsDocuments }: ElementPlace, { sink }: ReferenceScope): void {
  const href = trimUrl(attributes.value('href') ?? '');
  const rel = attributes.value('rel') ?? '';
  const kind = kindOfRel(rel.toLowerCase(), attributes.value('type') ?? '');
  if (href === '' || kind === null) return;
  if (readsDocuments || CLASS_OF_KIND[kind] !== 'document') sink.add(href, kind, '', rel);
}

function readMeta(attributes: AttributeReader, { readsDocuments }: ElementPlace, { sink }: ReferenceScope): void {
  const content = (attributes.value('content') ?? '').trim();
  if (content === '') return;
  const equivalent = attributes.value('http-equiv')?.trim().toLowerCase();
  if (equivalent === 'refresh') {
    const href = parseMetaRefresh(content);
    if (href !== null && readsDocuments) sink.add(trimUrl(href), 'meta-refresh');
    return;
  }
  if (equivalent?.startsWith('content-security-policy')) {
    for (const href of reportUris(content)) sink.add(href, 'meta');
    return;
  }
  const name = attributes.value('name') ?? attributes.value('property') ?? attributes.value('itemprop') ?? '';
  const kind = metaKind(name.trim().toLowerCase(), content);
  if (kind !== null) sink.add(content, kind);
  // msapplication-task: `name=…;action-uri=…;icon-uri=…`, msapplication-badge: `frequency=30;polling-uri=…`.
  else if (content.includes('-uri=')) {
    for (const part of content.split(';'))
      if (part.includes('-uri=')) sink.add(part.slice(part.indexOf('=') + 1).trim(), 'meta');
  }
}

function metaKind(name: string, content: string): LinkKind | null {
  if (NO_URL.test(name) || name === 'viewport') return null;
  if (PREVIEW.test(name)) return 'preview';
  if (name === 'msapplication-config') return content.toLowerCase() === 'none' ? null : 'preview';
  const isNamed = name.endsWith('url') || name.endsWith('uri') || name === 'identifier-url';
  return looksLikeUrl(content) || (isNamed && !/[\s{}]/.test(content)) ? 'meta' : null;
}

function readParam(attributes: AttributeReader, { sink }: ReferenceScope): void {
  const name = (attributes.value('name') ?? '').trim().toLowerCase();
  const value = trimUrl(attributes.value('value') ?? '');
  if (PARAM_NAMES.has(name)) sink.add(value, 'embed');
  else if (looksLikeUrl(value)) sink.guess(value, 'attribute');
}
