/**
 * Reads the content of an archived page or document as people and programs use it. In: the bytes of a response, its
 * type, and what the crawl has learned about the template of the host. Out: the main text, Markdown, the facts that it
 * states about itself, and the structured data of a page; or the reason why there is no text.
 *
 * Each view is made when it is asked for: Markdown costs nothing if only the text is wanted.
 */
import { type PageFacts, readPageFacts } from '../content/facts/page-facts.ts';
import { languageOf } from '../content/language/detect-language.ts';
import { findMainContent, type MainContent } from '../content/main/main-content.ts';
import { codeFence, escapeLineStart, escapeText } from '../content/markdown/escape.ts';
import { type MarkdownOptions, writeMarkdown } from '../content/markdown/write-markdown.ts';
import { writeText } from '../content/markdown/write-text.ts';
import { PageTree } from '../content/page-tree.ts';
import { readStructuredData, type StructuredData } from '../content/structured/structured-data.ts';
import { type PageTables, readTables } from '../content/tables/read-tables.ts';
import type { Template } from '../content/template/template.ts';
import { templateLinesOf } from '../crawl/place/template-lines-of.ts';
import type { DocumentContent, DocumentFailure } from '../documents/document-content.ts';
import { mayBeDocument } from '../documents/may-be-document.ts';
import { readDocument } from '../documents/read-document.ts';
import { essenceOf, isText } from '../page/content-kind.ts';
import { outlinePage } from '../page/outline/outline.ts';
import { sourceText } from '../page/readable-version.ts';

/** A response to read. */
export interface ResponseToRead {
  readonly url: string;
  readonly body: Buffer;
  /** The value of the Content-Type header. */
  readonly contentType: string;
  /** What the crawl has learned about the host. Null: the page is read alone. */
  readonly template: Template | null;
}

export interface ReadableContent {
  /** The main content as plain text. */
  text(): string;
  markdown(options?: MarkdownOptions): string;
  facts(): PageFacts;
  /** Null for a response that is not HTML. */
  readonly page: HtmlContent | null;
  /** True if only the beginning was read, because a limit was reached. */
  readonly isPartial: boolean;
}

/** Why a response has no content. `no-text`: it is an image or another file without text. */
export interface WithoutContent {
  readonly reason: DocumentFailure | 'no-text';
}

export async function readContent(response: ResponseToRead): Promise<ReadableContent | WithoutContent> {
  const { url, body, contentType } = response;
  const outline = outlinePage(body, contentType);
  if (outline !== null) return new HtmlContent(response, new PageTree(outline), outline.isCut);
  if (mayBeDocument(body)) {
    const document = await readDocument(body, contentType, url);
    return 'reason' in document ? document : contentOfDocument(document);
  }
  const type = essenceOf(contentType);
  if (!isText(type, body)) return { reason: 'no-text' };
  const text = sourceText(body, contentType, url);
  const markdown = () => (type === 'text/markdown' ? text : fenced(text));
  return { page: null, text: () => text, markdown, facts: () => factsOf(text), isPartial: false };
}

function contentOfDocument(document: DocumentContent): ReadableContent {
  const { text, title, author, language, isPartial } = document;
  const lines = text.replaceAll('\f', '\n').split('\n');
  const markdown = () => lines.map((line) => escapeLineStart(escapeText(line, '', '', false))).join('\n');
  const facts = () => ({
    ...factsOf(text, language),
    ...(title === null ? {} : { title }),
    authors: author === null ? [] : [author],
  });
  return { page: null, text: () => text, markdown, facts, isPartial };
}

/** The language of a text. The declared one, with its region, stays unless the text is clearly in another language. */
function factsOf(text: string, declared: string | null = null): PageFacts {
  const found = languageOf(declared, text);
  const language = found !== null && declared?.toLowerCase().startsWith(found) ? declared : found;
  return language === null ? { authors: [] } : { authors: [], language };
}

/** The content of an HTML page. */
export class HtmlContent implements ReadableContent {
  readonly #url: string;
  readonly #tree: PageTree;
  readonly #main: MainContent;
  readonly isPartial: boolean;
  #structured: StructuredData | undefined;

  constructor(response: ResponseToRead, tree: PageTree, isPartial: boolean) {
    this.isPartial = isPartial;
    this.#url = response.url;
    this.#tree = tree;
    const { template } = response;
    const known = template === null ? {} : { isTemplate: templateLinesOf(template, response) };
    this.#main = findMainContent(tree, known);
  }

  get page(): HtmlContent {
    return this;
  }

  get main(): MainContent {
    return this.#main;
  }

  text(): string {
    return writeText(this.#tree, this.#main.kept);
  }

  markdown(options?: MarkdownOptions): string {
    return writeMarkdown(this.#tree, this.#main.kept, this.#url, options);
  }

  /** The data tables of the main content. */
  tables(): PageTables {
    return readTables(this.#tree, this.#main.kept);
  }

  structured(): StructuredData {
    this.#structured ??= readStructuredData(this.#tree, this.#url);
    return this.#structured;
  }

  facts(): PageFacts {
    const facts = readPageFacts(this.#tree, this.structured());
    return { ...facts, ...factsOf(this.#main.text, facts.language ?? null), authors: facts.authors };
  }
}

/** Signs in plain text mean nothing in Markdown. */
function fenced(text: string): string {
  const fence = codeFence(text);
  return `${fence}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}\n`;
}
