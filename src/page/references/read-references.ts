/**
 * Reads the references of one document, by the classes that are wanted. HTML pages: the quick scan for links to
 * documents, then the parts that it left, or the second pass. Style sheets, scripts, JSON, XML, manifests and plain
 * text are read only if assets or guesses are wanted; SVG documents always.
 */
import { essenceOf } from '../content-kind.ts';
import { decodeBody } from '../encoding/charset.ts';
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { scanXml, type XmlHandler } from '../feeds/scan-xml.ts';
import { scanHtml, type UnreadParts } from '../html/scan-html.ts';
import { LinkList, writtenLength } from '../link-list.ts';
import { emptyPage, type ParsedPage, type ParseOptions } from '../parsed-page.ts';
import type { ReferenceClasses } from '../reference-kinds.ts';
import { isSearchBox, readForm } from './form.ts';
import { type JsonUse, readCacheManifest, readJsonReferences } from './json.ts';
import { isConditionalComment, scanInner, scanRange, scanReferences } from './scan-references.ts';
import { type ReferenceScope, ReferenceSink } from './sink.ts';

/** Elements that may lead to documents. */
const LEADS_ON = /<(?:a|area|form|i?frame|link|meta)[\s/]/i;
const NO_CLASSES: ReferenceClasses = new Set();
const SPECULATION_TYPE = 'application/speculationrules+json';
const SCRIPT_TYPES: ReadonlySet<string> = new Set([
  ...['text/javascript', 'application/javascript', 'application/x-javascript', 'text/ecmascript', 'text/jscript'],
  ...['application/ecmascript', 'text/x-javascript'],
]);

export function readHtml(
  document: DocumentBytes,
  page: ParsedPage,
  url: string,
  options: ParseOptions,
  isXml: boolean,
): void {
  const links = new LinkList(options.maxLinks, writtenLength(document.bytes), options.keepHashbang);
  const unread = scanHtml(document, page, links, options, isXml);
  const { classes = NO_CLASSES } = options;
  const isWhole = classes.has('asset') || classes.has('guess');
  const forms = unread.forms.length === 0 ? unread.forms : unread.forms.filter((form) => !isSearchBox(document, form));
  if (isWhole || forms.length > 0 || hasMore(unread)) {
    const sink = new ReferenceSink(links, classes, options.maxLinks);
    const scope = { sink, base: baseOf(page, url), pageUrl: url };
    if (isWhole) scanReferences(document, scope, false);
    else readUnread(document, unread, scope);
    for (const form of forms) for (const href of readForm(document, form, url).urls) sink.add(href, 'form');
    sink.finish();
  }
  page.links = links.links;
  page.linksTruncated = links.truncated;
}

function hasMore({ ranges, speculations, inner }: UnreadParts): boolean {
  return ranges.length > 0 || speculations.length > 0 || inner.length > 0;
}

function readUnread(document: DocumentBytes, unread: UnreadParts, scope: ReferenceScope): void {
  const { ranges, speculations } = unread;
  for (let i = 0; i < ranges.length; i += 2) {
    const from = ranges[i]!;
    const to = ranges[i + 1]!;
    const isRead = document.chars.startsWith('<!--', from - 4) ? isConditionalComment(document.chars, from) : true;
    // Most conditional comments of a site have only style sheets and scripts.
    if (isRead && LEADS_ON.test(document.chars.slice(from, to))) scanRange(document, from, to, scope);
  }
  for (let i = 0; i < speculations.length; i += 2) {
    readJsonReferences(document.raw(speculations[i]!, speculations[i + 1]!), 'speculation', scope.sink);
  }
  for (const html of unread.inner) scanInner(html, scope);
}

/** An XML document of another kind: SVG, XSLT, OpenSearch … */
export function readXmlReferences(
  document: DocumentBytes,
  page: ParsedPage,
  root: string,
  url: string,
  options: ParseOptions,
): void {
  const classes = options.classes ?? NO_CLASSES;
  if (root !== 'svg' && classes.size <= 1) return;
  collect(page, options, (sink) => {
    scanReferences(document, { sink, base: url, pageUrl: url, isXml: true, root }, true);
    if (root === 'opensearchdescription') scanXml(document, new SearchDescription(sink));
  });
}

/** The elements of an OpenSearch description whose text is a URL. */
class SearchDescription implements XmlHandler {
  readonly #sink: ReferenceSink;
  readonly done = false;
  readonly entries: readonly string[] = [];

  constructor(sink: ReferenceSink) {
    this.#sink = sink;
  }

  open(): void {}

  close(name: string, _parent: string, text: string): void {
    if (name === 'image' || name === 'searchform') this.#sink.add(text, 'manifest');
  }
}

/** A body that is no document: a style sheet, a script, a manifest, plain text. */
export function parseData(body: Buffer, contentType: string, url: string, options: ParseOptions): ParsedPage {
  const type = essenceOf(contentType);
  if (!isWanted(type, options) || !isReadAsText(type)) return emptyPage('other', '');
  const { text, charset } = decodeBody(body, contentType, 'text');
  return readData(text, charset, contentType, url, options);
}

export function readData(
  text: string,
  charset: string,
  contentType: string,
  url: string,
  options: ParseOptions,
): ParsedPage {
  const page = emptyPage('other', charset);
  const type = essenceOf(contentType);
  if (!isWanted(type, options)) return page;
  collect(page, options, (sink) => {
    if (type === 'text/css') sink.css(text);
    else if (SCRIPT_TYPES.has(type)) sink.script(text);
    else if (type === 'text/cache-manifest' || text.startsWith('CACHE MANIFEST')) readCacheManifest(text, sink);
    else if (type.endsWith('json')) readJsonReferences(text, jsonUse(type, url), sink);
    else sink.text(text);
  });
  return page;
}

/** Only speculation rules lead to documents. */
function isWanted(type: string, { classes = NO_CLASSES }: ParseOptions): boolean {
  return classes.size > 1 || type === SPECULATION_TYPE;
}

function isReadAsText(type: string): boolean {
  return type.startsWith('text/') || SCRIPT_TYPES.has(type) || type.endsWith('json');
}

function jsonUse(type: string, url: string): JsonUse {
  if (type === 'application/manifest+json' || /\.webmanifest(?:[?#]|$)/.test(url)) return 'manifest';
  return type === SPECULATION_TYPE ? 'speculation' : 'data';
}

function collect(page: ParsedPage, options: ParseOptions, read: (sink: ReferenceSink) => void): void {
  const links = new LinkList(options.maxLinks, 0, options.keepHashbang);
  const sink = new ReferenceSink(links, options.classes ?? NO_CLASSES, options.maxLinks);
  read(sink);
  sink.finish();
  page.links = links.links;
  page.linksTruncated = links.truncated;
}

function baseOf({ base }: ParsedPage, url: string): string {
  return base === null ? url : (URL.parse(base, url)?.href ?? url);
}
