/**
 * References in the HTTP headers of a response: Link (RFC 8288), Refresh, Content-Location (RFC 9110, 8.7), Location of
 * a response that is not a redirect, and a few headers that name files for tools. They are relative to the URL of the
 * response, not to the `<base>` of the page.
 */

import { kindOfRel } from '../html/link-rel.ts';
import { parseMetaRefresh } from '../html/refresh.ts';
import type { PageLink, ParsedPage } from '../parsed-page.ts';
import { CLASS_OF_KIND, type LinkKind, type ReferenceClasses } from '../reference-kinds.ts';

const MAX_LINKS = 100;

/** Tells names of headers apart by their length and last letter first: nearly no header of a usual response passes. */
class NameTest {
  readonly #names: ReadonlySet<string>;
  /** The last letter of the names of each length. No two names have the same length. */
  readonly #lastLetters = new Uint8Array(64);

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    for (const name of names) this.#lastLetters[name.length] = name.charCodeAt(name.length - 1);
  }

  /** The name in lower case; null if it is none of the names. */
  find(header: string): string | null {
    const { length } = header;
    if ((header.charCodeAt(length - 1) | 0x20) !== this.#lastLetters[length]) return null;
    const name = header.toLowerCase();
    return this.#names.has(name) ? name : null;
  }
}

const NAMES = 'link refresh location content-location'.split(' ');
/** These name only guesses. */
const GUESS_NAMES =
  'sourcemap x-sourcemap x-pingback content-security-policy content-security-policy-report-only'.split(' ');
const WANTED = new NameTest(NAMES);
const WANTED_WITH_GUESSES = new NameTest([...NAMES, ...GUESS_NAMES]);

/**
 * Adds the references in the headers to a parsed page, in front of its links. Guesses go behind them, so that a URL
 * that is a link and a guess counts as a link. `classes` absent: documents and assets.
 */
export function readHeaders(
  rawHeaders: readonly string[],
  url: string,
  page: ParsedPage,
  classes?: ReferenceClasses,
): void {
  let found: PageLink[] | null = null;
  const wanted = classes?.has('guess') ? WANTED_WITH_GUESSES : WANTED;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = wanted.find(rawHeaders[i]!);
    if (name === null) continue;
    found ??= [];
    const links = found;
    readHeader(name, rawHeaders[i + 1]!, (href, kind, rel = '') => {
      const isWanted = classes === undefined ? CLASS_OF_KIND[kind] !== 'guess' : classes.has(CLASS_OF_KIND[kind]);
      const target = page.base === null ? href : URL.parse(href, url)?.href;
      if (!isWanted || target === undefined || links.length >= MAX_LINKS) return;
      if (kind === 'canonical') page.canonical ??= target;
      links.push(toLink(target, kind, rel));
    });
  }
  if (found === null || found.length === 0) return;
  const isGuess = ({ kind }: PageLink) => CLASS_OF_KIND[kind] === 'guess';
  page.links = [...found.filter((link) => !isGuess(link)), ...page.links, ...found.filter(isGuess)];
}

type Found = (href: string, kind: LinkKind, rel?: string) => void;

function readHeader(name: string, value: string, found: Found): void {
  const text = value.trim();
  if (name === 'link') readLinkHeader(text, found);
  else if (name === 'refresh') {
    const href = parseMetaRefresh(text);
    if (href !== null && href !== '') found(href.trim(), 'meta-refresh');
  } else if (name === 'location' || name === 'content-location') {
    if (text !== '') found(text, 'header');
  } else if (name.startsWith('content-security-policy')) {
    for (const href of reportUris(text)) found(href, 'attribute');
  } else if (text !== '') found(text, 'attribute');
}

/** The addresses of `report-uri` in a content security policy. */
export function reportUris(policy: string): string[] {
  const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/));
  return directives.flatMap(([name, ...values]) => (name?.toLowerCase() === 'report-uri' ? values : []));
}

/** `<url>; rel="next"; type=…, <url> …` A comma inside a quoted value does not end an entry. */
function readLinkHeader(text: string, found: Found): void {
  for (let at = text.indexOf('<'), entries = 0; at >= 0 && entries < MAX_LINKS; entries++) {
    const end = text.indexOf('>', at);
    if (end < 0) return;
    const href = text.slice(at + 1, end).trim();
    const parameters = new Map<string, string>();
    let next = afterSpace(text, end + 1);
    while (text[next] === ';') next = afterSpace(text, readParameter(text, next + 1, parameters));
    const rel = (parameters.get('rel') ?? '').toLowerCase();
    const kind = rel === '' ? 'link' : kindOfRel(rel, parameters.get('type') ?? '');
    if (href !== '' && kind !== null) found(href, kind, rel);
    at = text.indexOf('<', next);
  }
}

/** Reads one `name=value`, and returns the position after it. The first value of a name counts. */
function readParameter(text: string, from: number, parameters: Map<string, string>): number {
  let at = afterSpace(text, from);
  const nameStart = at;
  while (at < text.length && !'=;, \t'.includes(text[at]!)) at++;
  const name = text.slice(nameStart, at).toLowerCase().replace(/\*$/, '');
  at = afterSpace(text, at);
  let value = '';
  if (text[at] === '=') {
    at = afterSpace(text, at + 1);
    const start = at;
    if (text[at] === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
      value = text.slice(start + 1, at).replace(/\\(.)/g, '$1');
      at++;
    } else {
      while (at < text.length && !';,'.includes(text[at]!)) at++;
      value = text.slice(start, at).trim();
    }
  }
  if (!parameters.has(name)) parameters.set(name, value);
  return at;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

function toLink(href: string, kind: LinkKind, rel: string): PageLink {
  const nofollow = rel.split(/[\s,]+/).includes('nofollow');
  return { href, kind, text: '', nofollow, rel, visibility: 1, position: 2, around: '' };
}
