/**
 * Reads the pages of a site with the truth about their blocks. In: the files and selectors of a site. Out: the words of
 * each page as a crawl collects them, and for each block the characters that are template, and that are own content.
 *
 * The truth comes from the tree that parse5 builds. Its words are hashed by the crawler's own code, and must be the words
 * that the crawler finds on the page; a page on which they differ is left out and counted.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'parse5';
import type { PageWords } from '../../src/core/page/page-words.ts';
import { parsePage, WordCollector } from '../../src/page/page.ts';
import { randomBelow, seededRandom } from '../../testbed/random.ts';
import { htmlFilesBelow, unpackPackage } from '../site/debian-package.ts';
import { SITE_HOST } from '../site/read-site.ts';
import { type Element, type Selector, selectorOf } from './selectors.ts';
import type { TemplateSite } from './sites.ts';

export interface TruePage {
  readonly url: string;
  readonly title: string;
  readonly words: PageWords;
  /** For each block, its characters without white space. Characters that count neither way are in none of the two. */
  readonly template: Float64Array;
  readonly own: Float64Array;
}

export interface TrueSite {
  readonly site: TemplateSite;
  readonly pages: readonly TruePage[];
  /** Pages on which the crawler and parse5 do not find the same words. */
  readonly leftOut: number;
}

export const USUAL_PAGES = 600;
const SEED = 1;
const TEMPLATE = 1;
const OWN = 2;
const NEITHER = 3;

const INVISIBLE = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'math', 'iframe']);
const BESIDE = new Set(['nav', 'header', 'footer', 'aside']);
/** Stands before each piece of text, so that a piece without words is a block, too. */
const MARKER = 'piece';

export async function readTruth(site: TemplateSite, workFolder: string): Promise<TrueSite> {
  const folder = join(await unpackPackage(workFolder, site.package), site.folder);
  const files = shuffled(await htmlFilesBelow(folder), SEED).slice(0, site.pages ?? USUAL_PAGES);
  const classOf = classifier(site);
  const pages = files.map((file) =>
    readPage(readFileSync(join(folder, file)), `${SITE_HOST}/${encodeURI(file)}`, classOf),
  );
  return { site, pages: pages.filter((page) => page !== null), leftOut: pages.filter((page) => page === null).length };
}

/** Brings the files into a random order, in place. */
export function shuffled(files: string[], seed: number): string[] {
  const random = seededRandom(seed);
  for (let i = files.length - 1; i > 0; i--) {
    const j = randomBelow(random, i + 1);
    [files[i], files[j]] = [files[j]!, files[i]!];
  }
  return files;
}

type Classifier = (element: Element, outer: number) => number;

function classifier({ template, neither }: TemplateSite): Classifier {
  const [isTemplate, isNeither] = [template, neither].map((texts) => anyOf(texts.map(selectorOf))) as [
    Selector,
    Selector,
  ];
  return (element, outer) => (isTemplate(element) ? TEMPLATE : isNeither(element) ? NEITHER : outer);
}

function anyOf(selectors: readonly Selector[]): Selector {
  return (element) => selectors.some((selector) => selector(element));
}

interface Piece {
  readonly text: string;
  readonly kind: number;
}

/** The page, or null if parse5 finds other words on it. */
function readPage(bytes: Buffer, url: string, classOf: Classifier): TruePage | null {
  const { title } = parsePage(bytes, 'text/html', url, PARSING);
  const words = copyOf(COLLECTOR);
  if (words.isCut) return null;
  const pieces: Piece[] = [];
  for (const child of parse(decoded(bytes), { scriptingEnabled: false }).childNodes) {
    if ('tagName' in child) collectPieces(child, OWN, classOf, pieces);
  }
  const kinds = new Uint8Array(words.count);
  const chars = new Float64Array(words.count);
  if (!alignPieces(pieces, words, kinds, chars)) return null;
  const page = { url, title, words, template: new Float64Array(words.blocks), own: new Float64Array(words.blocks) };
  for (let block = 0, at = 0; block < words.blocks; block++) {
    for (; at < words.ends[block]!; at++) {
      if (kinds[at] === TEMPLATE) page.template[block]! += chars[at]!;
      if (kinds[at] === OWN) page.own[block]! += chars[at]!;
    }
  }
  return page;
}

function collectPieces(element: Element, outer: number, classOf: Classifier, pieces: Piece[]): void {
  if (INVISIBLE.has(element.tagName) || BESIDE.has(element.tagName)) return;
  const kind = classOf(element, outer);
  for (const child of element.childNodes) {
    if ('tagName' in child) collectPieces(child, kind, classOf, pieces);
    else if (child.nodeName === '#text' && 'value' in child) pieces.push({ text: child.value, kind });
  }
}

/** Fills in the kind and the characters of each word. Returns false if the pieces have other words than the page. */
function alignPieces(pieces: readonly Piece[], page: PageWords, kinds: Uint8Array, chars: Float64Array): boolean {
  const html = pieces.map(({ text }) => `<p>${MARKER} ${escaped(text)}`).join('');
  const { words, ends, blocks } = parsed(Buffer.from(html), SITE_HOST);
  if (blocks !== pieces.length) return false;
  let at = 0;
  for (let block = 0; block < blocks; block++) {
    const from = (block === 0 ? 0 : ends[block - 1]!) + 1;
    const { text, kind } = pieces[block]!;
    const share = text.replace(/\s+/g, '').length / (ends[block]! - from);
    for (let word = from; word < ends[block]!; word++, at++) {
      if (at >= page.count || words[word] !== page.words[at]) return false;
      kinds[at] = kind;
      chars[at] = share;
    }
  }
  return at === page.count;
}

const COLLECTOR = new WordCollector();
const PARSING = { wantText: false, wantAnchors: false, maxLinks: 100_000, words: COLLECTOR };

/** Valid until the next call. */
function parsed(bytes: Buffer, url: string): PageWords {
  parsePage(bytes, 'text/html', url, PARSING);
  return COLLECTOR;
}

/** The words of a page as a crawl collects them. They stay valid. */
export function parseWords(bytes: Buffer, url: string): PageWords {
  return copyOf(parsed(bytes, url));
}

function copyOf({ words, count, ends, hashes, textWords, linked, blocks, isCut }: PageWords): PageWords {
  return {
    words: words.slice(0, count),
    count,
    ends: ends.slice(0, blocks),
    hashes: hashes.slice(0, blocks),
    textWords: textWords.slice(0, blocks),
    linked: linked.slice(0, blocks),
    blocks,
    isCut,
  };
}

/** The text of a page by the encoding that its markup names. */
export function decoded(bytes: Buffer): string {
  const name = /charset=["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, 2_048))?.[1];
  return new TextDecoder(name ?? 'utf-8').decode(bytes);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
