/**
 * Makes the text of a response as a search index reads it. In: a decoded response and what the crawl has learned about
 * the template of its host. Out: title, blocks with their roles, links as written, and language; null for a response
 * that is no page for people: feeds, sitemaps, data, scripts, images.
 *
 * The main content (content/main) would be more exact and takes 1 to 10 ms for a page. One scan with the marks of the
 * template takes about a quarter of a millisecond, and this runs for every page of a crawl.
 */
import { detectLanguage } from '../../../content/language/detect-language.ts';
import type { Template } from '../../../content/template/template.ts';
import { mayBeDocument } from '../../../documents/may-be-document.ts';
import { essenceOf } from '../../../page/content-kind.ts';
import { PageTextCollector, type ParsedPage, parsePage, type TextLink } from '../../../page/page.ts';
import { sourceText } from '../../../page/readable-version.ts';
import type { BlockRole, SearchBlock } from '../../../search/search-page.ts';
import { isDocument } from '../../unit/documents.ts';
import { documentType, type TextType, textType } from './file-types.ts';

export interface ResponseText {
  readonly title: string;
  readonly description: string;
  readonly blocks: readonly SearchBlock[];
  readonly links: readonly TextLink[];
  /** Two or three letters in lower case; '' if it is unknown. */
  readonly language: string;
  readonly fileType: string;
  /** The parsed page; null for a document or a plain text. */
  readonly page: ParsedPage | null;
}

export interface DecodedResponse {
  readonly url: string;
  readonly body: Buffer;
  readonly contentType: string;
}

export interface TextOptions {
  /** Null: nothing is known about the host. */
  readonly template: Template | null;
  readonly maxLinks: number;
  readonly keepHashbang: boolean;
}

/** The beginning of a text is enough to detect its language. */
const LANGUAGE_CHARS = 2_000;
const MAX_BLOCK_CHARS = 20_000;
const MAX_BLOCKS = 65_536;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DOCUMENTS: ReadonlySet<'document'> = new Set(['document']);

/** One serves for all pages, because it has a memory of seven megabytes. */
let collector: PageTextCollector | null = null;

export async function textOf(response: DecodedResponse, options: TextOptions): Promise<ResponseText | null> {
  const { body, contentType } = response;
  const mediaType = essenceOf(contentType);
  if (isDocument(body, mediaType)) return textOfDocument(response);
  const plain = textType(mediaType, response.url);
  return textOfPage(response, options) ?? (plain === null || mayBeDocument(body) ? null : textOfPlain(response, plain));
}

function textOfPage({ url, body, contentType }: DecodedResponse, options: TextOptions): ResponseText | null {
  const { template, maxLinks, keepHashbang } = options;
  collector ??= new PageTextCollector();
  const parsing = { wantText: false, wantAnchors: false, classes: DOCUMENTS, maxLinks, keepHashbang, words: collector };
  const page = parsePage(body, contentType, url, parsing);
  if (page.kind !== 'html') return null;
  const marks = template === null || collector.blocks === 0 ? null : template.judge(url, collector).marks;
  let own = 0;
  const blocks = collector.pageBlocks.map(({ text, isBeside, isHeading }): SearchBlock => {
    const isTemplate = isBeside || marks?.[own] === 1;
    if (!isBeside) own++;
    return { text, role: isTemplate ? 'template' : isHeading ? 'heading' : 'text' };
  });
  return {
    title: page.title,
    description: page.description,
    blocks,
    links: collector.linksIn((block) => blocks[block]!.role !== 'template'),
    language: languageIn(page.language, blocks),
    fileType: 'html',
    page,
  };
}

async function textOfDocument({ url, body, contentType }: DecodedResponse): Promise<ResponseText | null> {
  const { readDocument } = await import('../../../documents/read-document.ts');
  const document = await readDocument(body, contentType, url);
  if ('reason' in document) return null;
  const blocks = blocksIn(document.text.replaceAll('\f', '\n\n'), false);
  return {
    ...{ title: document.title ?? '', description: '', blocks, links: [], page: null },
    language: languageIn(document.language ?? '', blocks),
    fileType: documentType(body, essenceOf(contentType), url),
  };
}

function textOfPlain({ url, body, contentType }: DecodedResponse, fileType: TextType): ResponseText {
  const blocks = blocksIn(sourceText(body, contentType, url), fileType === 'md');
  const title = fileType === 'md' ? (blocks.find(({ role }) => role === 'heading')?.text ?? '') : '';
  return { title, description: '', blocks, links: [], language: languageIn('', blocks), fileType, page: null };
}

/** The paragraphs of a text, and the headings of Markdown. A text may be one line, or have millions of lines. */
function blocksIn(text: string, isMarkdown: boolean): SearchBlock[] {
  const blocks: SearchBlock[] = [];
  let open = '';
  const add = (block: string, role: BlockRole): void => {
    if (open !== '') blocks.push({ text: open, role: 'text' });
    open = '';
    if (block !== '') blocks.push({ text: block, role });
  };
  for (let at = 0; at < text.length && blocks.length < MAX_BLOCKS; ) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end).trim();
    at = afterLine(text, end);
    const heading = isMarkdown ? /^#{1,6} +(?=\S)/.exec(line)?.[0] : undefined;
    if (heading !== undefined) add(line.slice(heading.length), 'heading');
    else if (line === '' || open.length + line.length > MAX_BLOCK_CHARS) add(line, 'text');
    else open = open === '' ? line : `${open} ${line}`;
  }
  add('', 'text');
  return blocks;
}

/** Where the line ends, or where it is cut because it is too long. */
function lineEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + MAX_BLOCK_CHARS);
  for (let at = from; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return at;
  }
  return most;
}

function afterLine(text: string, end: number): number {
  const code = text.charCodeAt(end);
  if (code === CARRIAGE_RETURN) return text.charCodeAt(end + 1) === LINE_FEED ? end + 2 : end + 1;
  return code === LINE_FEED ? end + 1 : end;
}

/** The declared language; it is detected only if none is declared, which takes about 0.1 ms. */
function languageIn(declared: string, blocks: readonly SearchBlock[]): string {
  const primary = /^\s*([a-z]{2,3})(?![a-z0-9])/i.exec(declared)?.[1]?.toLowerCase();
  if (primary !== undefined) return primary;
  let sample = '';
  for (const { text, role } of blocks) {
    if (role === 'template') continue;
    sample += `${text}\n`;
    if (sample.length >= LANGUAGE_CHARS) break;
  }
  return detectLanguage(sample) ?? '';
}
