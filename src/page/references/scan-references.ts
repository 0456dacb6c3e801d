/**
 * Reads all references of an HTML or XML document, by the table in reference-table.ts. It is the second pass over a
 * page whose assets or guesses are wanted; the quick scan (html/scan-html.ts) has read its links to documents before.
 * It also reads the parts of a page that the quick scan only notes: `srcdoc`, conditional comments, `<noframes>`.
 *
 * What always holds: linear time, no exception, nesting is limited. It follows the tokenizer of the HTML standard and
 * builds no tree.
 */
import { DocumentBytes } from '../encoding/document-bytes.ts';
import { AttributeReader } from '../html/read-attributes.ts';
import { endsTagName, isLetter } from '../html/scan-tag.ts';
import { MarkupSkipper } from '../html/skip-markup.ts';
import { jsonUseOfScript, readJsonReferences } from './json.ts';
import { type ElementPlace, readElement } from './read-element-references.ts';
import type { ReferenceScope, ReferenceSink } from './sink.ts';

/**
 * Elements whose content is not markup, and what is done with the content. Elements in svg are always read as markup.
 */
const RAW: Readonly<Record<string, 'text' | 'markup' | 'css' | 'script'>> = {
  style: 'css',
  script: 'script',
  iframe: 'markup',
  noembed: 'markup',
  noframes: 'markup',
  title: 'text',
  textarea: 'text',
  xmp: 'text',
  plaintext: 'text',
};
const FOREIGN = ['svg', 'math'] as const;
const MAX_ATTRIBUTES = 20_000;
const MAX_NESTED = 4;
const MAX_NAME_CHARS = 60;

/** Reads all references of a document. With `isFirst` false, links to documents are left to the quick scan. */
export function scanReferences(document: DocumentBytes, scope: ReferenceScope, isFirst: boolean): void {
  new ReferenceScan(document, scope, 0, isFirst).run();
}

/** Reads a part of a document that the quick scan did not read. */
export function scanRange(document: DocumentBytes, from: number, to: number, scope: ReferenceScope, depth = 1): void {
  if (depth > MAX_NESTED || from >= to) return;
  // A document of its own, so that no search goes beyond the part. Otherwise many parts could make the time quadratic.
  new ReferenceScan(new DocumentBytes(document.bytes.subarray(from, to)), scope, depth, true).run();
}

/** Reads a document that is written in an attribute. */
export function scanInner(html: string, scope: ReferenceScope, depth = 1): void {
  if (depth > MAX_NESTED) return;
  new ReferenceScan(new DocumentBytes(Buffer.from(html)), scope, depth, true).run();
}

class ReferenceScan {
  readonly #document: DocumentBytes;
  readonly #scope: ReferenceScope;
  readonly #sink: ReferenceSink;
  readonly #depth: number;
  readonly #readsDocuments: boolean;
  readonly #attributes: AttributeReader;
  readonly #skip: MarkupSkipper;
  /** The number of open elements `svg` and `math`. */
  readonly #open: Record<(typeof FOREIGN)[number], number> = { svg: 0, math: 0 };

  constructor(document: DocumentBytes, scope: ReferenceScope, depth: number, readsDocuments: boolean) {
    this.#document = document;
    this.#scope = scope;
    this.#sink = scope.sink;
    this.#depth = depth;
    this.#readsDocuments = readsDocuments;
    this.#attributes = new AttributeReader(document);
    this.#skip = new MarkupSkipper(document.chars);
    if (scope.root === 'svg') this.#open.svg = 1;
  }

  run(): void {
    const { chars } = this.#document;
    const to = chars.length;
    let at = 0;
    while (at < to) {
      const less = chars.indexOf('<', at);
      this.#text(at, less < 0 || less > to ? to : less);
      if (less < 0 || less >= to) return;
      const next = chars.charCodeAt(less + 1);
      if (isLetter(next)) at = this.#startTag(less);
      else if (next === SLASH) at = this.#endTag(less);
      else if (next === BANG || next === QUESTION) at = this.#declaration(less);
      else at = less + 1;
    }
  }

  #text(from: number, to: number): void {
    if (this.#sink.wantsGuesses && from < to) this.#sink.text(this.#document.text(from, to));
  }

  #endTag(less: number): number {
    const name = this.#nameAt(less + 2).toLowerCase();
    for (const element of FOREIGN) {
      if (name === element && this.#open[element] > 0) this.#open[element]--;
    }
    return this.#skip.afterGreater(less + 2);
  }

  #startTag(less: number): number {
    const written = this.#nameAt(less + 1);
    const after = this.#attributes.read(less + 1 + written.length, MAX_ATTRIBUTES);
    // A tag that is cut off by the end of the document is not a tag.
    if (after < 0) return this.#document.chars.length;
    const name = written.toLowerCase();
    const { sink } = this.#scope;
    sink.links.at = less;
    for (const element of FOREIGN) if (name === element && !this.#attributes.selfClosing) this.#open[element]++;
    readElement(name, this.#attributes, this.#placeOf(less), this.#scope);
    const inForeign = this.#open.svg > 0 || this.#open.math > 0;
    if (this.#attributes.selfClosing && (inForeign || this.#scope.isXml)) return after;
    const raw = RAW[name];
    if (raw === undefined || ((raw === 'text' || raw === 'markup') && (inForeign || this.#scope.isXml))) return after;
    return this.#rawText(name, raw, after);
  }

  #placeOf(less: number): ElementPlace {
    return {
      document: this.#document,
      less,
      inside: this.#open.svg > 0 ? 'svg' : this.#open.math > 0 ? 'math' : null,
      readsDocuments: this.#readsDocuments,
      inner: (html) => scanInner(html, this.#scope, this.#depth + 1),
    };
  }

  #rawText(name: string, raw: 'text' | 'markup' | 'css' | 'script', from: number): number {
    const type = (this.#attributes.value('type') ?? '').trim().toLowerCase();
    const end = name === 'script' ? this.#skip.scriptEnd(from) : this.#skip.rawTextEnd(from, name);
    if (raw === 'markup') scanRange(this.#document, from, end, this.#scope, this.#depth + 1);
    else if (raw === 'css') this.#sink.css(this.#document.raw(from, end));
    else if (raw === 'script') this.#script(this.#document.raw(from, end), type);
    else this.#text(from, end);
    return end;
  }

  #script(script: string, type: string): void {
    const use = jsonUseOfScript(type);
    if (use !== null) readJsonReferences(script, use, this.#sink);
    // The content of a script of an unknown type is often a template.
    else if (script.trimStart().startsWith('<') && !isScriptType(type)) scanInner(script, this.#scope, this.#depth + 1);
    else this.#sink.script(script);
  }

  /** A comment, a doctype, a processing instruction or CDATA. Returns the position after it. */
  #declaration(less: number): number {
    const { chars } = this.#document;
    if (chars.startsWith('<!--', less)) return this.#comment(less);
    if (chars.startsWith('<![CDATA[', less) && (this.#scope.isXml || this.#open.svg + this.#open.math > 0)) {
      const after = this.#skip.afterCdata(less);
      this.#text(less + 9, after - 3);
      return after;
    }
    const after = this.#skip.afterGreater(less + 2);
    const declaration = this.#document.raw(less + 2, Math.max(less + 2, after - 1));
    if (/^doctype\s/i.test(declaration)) this.#sink.quoted(declaration, 'attribute');
    else if (declaration.startsWith('xml-stylesheet')) this.#styleInstruction(declaration);
    return after;
  }

  /** `<?xml-stylesheet href="…"?>` (W3C, associating style sheets with XML documents). */
  #styleInstruction(declaration: string): void {
    const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(declaration);
    if (href !== null) this.#sink.add((href[1] ?? href[2] ?? '').trim(), 'stylesheet');
  }

  /** Markup in a comment is a guess, except in a conditional comment, which old browsers read. */
  #comment(less: number): number {
    const after = this.#skip.afterComment(less);
    const start = less + 4;
    const end = Math.max(start, after - 3);
    const isConditional = isConditionalComment(this.#document.chars, start);
    if (!isConditional && !this.#sink.wantsGuesses) return after;
    const { inComment } = this.#sink;
    this.#sink.inComment = inComment || !isConditional;
    scanRange(this.#document, start, end, this.#scope, this.#depth + 1);
    // Comments also hide scripts, which have no markup.
    if (!isConditional) this.#sink.quoted(this.#document.raw(start, end), 'comment');
    this.#sink.inComment = inComment;
    return after;
  }

  #nameAt(from: number): string {
    const { chars } = this.#document;
    let at = from;
    while (at < chars.length && at - from < MAX_NAME_CHARS && !endsTagName(chars.charCodeAt(at))) at++;
    return chars.slice(from, at);
  }
}

/** `from` is the position after `<!--`. */
export function isConditionalComment(chars: string, from: number): boolean {
  return /^\[if\s/i.test(chars.slice(from, from + 4));
}

function isScriptType(type: string): boolean {
  return type === '' || type === 'module' || type.includes('javascript') || type.includes('ecmascript');
}

const BANG = 33;
const SLASH = 47;
const QUESTION = 63;
