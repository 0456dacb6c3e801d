/**
 * Rewrites an HTML or XML document for a mirror. In: its bytes in an encoding that extends ASCII, and where it is. Out:
 * the same bytes with other references and, in an HTML page, with a policy that forbids requests to the network.
 *
 * What always holds: linear time, no exception, and nesting is limited. It follows the tokenizer of the HTML standard,
 * as page/references/scan-references.ts does, and builds no tree.
 */
import { decodeLegacy } from '../../../page/encoding/legacy-codec.ts';
import { endsTagName, isLetter } from '../../../page/html/scan-tag.ts';
import { MarkupSkipper } from '../../../page/html/skip-markup.ts';
import type { ReferenceCounts } from '../../files/file-form.ts';
import { ByteEdits, quoteAttribute } from './byte-edits.ts';
import { type DocumentPlace, findTarget } from './find-target.ts';
import { MAX_ATTRIBUTES, readTag } from './read-tag.ts';
import { editCss } from './rewrite-css.ts';
import { type ElementContext, rewriteElement } from './rewrite-element.ts';

export interface HtmlToRewrite {
  readonly bytes: Buffer;
  readonly place: DocumentPlace;
  readonly syntax: 'html' | 'xhtml' | 'xml';
  /** The charset to declare in the page; null for none. */
  readonly declare: string | null;
  /** Whether the page only shows (file-form.ts). A static page gets no policy, because its server sends one. */
  readonly isStatic: boolean;
}

/**
 * Scripts and styles in the page stay allowed, and so do files of the mirror, whether it is opened from a disk or from
 * a web server. DNS requests for the hosts of links are requests too.
 */
const POLICY = "default-src 'self' file: data: blob: 'unsafe-inline' 'unsafe-eval'";
const POLICY_TAGS = `<meta http-equiv="Content-Security-Policy" content="${POLICY}"/><meta http-equiv="x-dns-prefetch-control" content="off"/>`;

/** Elements whose content is not markup. `markup` is read as markup by browsers without scripting. */
const RAW: Readonly<Record<string, 'text' | 'markup' | 'css' | 'script'>> = {
  style: 'css',
  script: 'script',
  noscript: 'markup',
  noframes: 'markup',
  iframe: 'text',
  noembed: 'text',
  title: 'text',
  textarea: 'text',
  xmp: 'text',
  plaintext: 'text',
};
const MAX_NESTED = 4;
const MAX_NAME_CHARS = 60;

export function rewriteHtml(html: HtmlToRewrite, counts: ReferenceCounts): Buffer {
  const edits = new ByteEdits();
  const scan = new HtmlScan(html, counts, edits, { depth: 0, shift: 0 });
  scan.run();
  if (html.isStatic) scan.escapeUnread();
  else if (html.syntax === 'html' || (html.syntax === 'xhtml' && scan.hasHead)) {
    const charset = html.declare === null ? '' : `<meta charset="${html.declare}"/>`;
    edits.replace(scan.headAt, scan.headAt, charset + POLICY_TAGS);
  }
  return edits.apply(html.bytes);
}

class HtmlScan {
  readonly #html: HtmlToRewrite;
  readonly #chars: string;
  readonly #counts: ReferenceCounts;
  readonly #edits: ByteEdits;
  /** The edits of the document. */
  readonly #allEdits: ByteEdits;
  readonly #depth: number;
  readonly #skip: MarkupSkipper;
  readonly #isXml: boolean;
  readonly #isInert: boolean;
  readonly #open = { svg: 0, math: 0 };
  readonly #shift: number;
  /** In a static page: the positions of the tags that were rewritten, and the places of style sheets. */
  readonly #read: ReadPlaces;
  /** The place of the policy: after `<head>`, or else after `<html>` or the doctype. */
  headAt: number;
  hasHead = false;
  #isBeforeHead = true;

  constructor(
    html: HtmlToRewrite,
    counts: ReferenceCounts,
    edits: ByteEdits,
    { depth, shift, read = { tags: new Set(), styles: [] } }: ScanPlace,
  ) {
    this.#html = html;
    this.#chars = html.bytes.toString('latin1');
    this.#counts = counts;
    this.#allEdits = edits;
    this.#edits = shift === 0 ? edits : shifted(edits, shift);
    this.#depth = depth;
    this.#shift = shift;
    this.#read = read;
    this.#skip = new MarkupSkipper(this.#chars);
    this.#isXml = html.syntax !== 'html';
    this.#isInert = html.isStatic || (this.#isXml && !/<head[\s/>]/.test(this.#chars));
    this.headAt = this.#chars.startsWith('\xef\xbb\xbf') ? 3 : 0;
  }

  run(): void {
    const chars = this.#chars;
    for (let at = chars.indexOf('<'); at >= 0 && at < chars.length; at = chars.indexOf('<', at)) {
      const next = chars.charCodeAt(at + 1);
      if (isLetter(next)) at = this.#startTag(at);
      else if (next === SLASH) at = this.#endTag(at);
      else if (next === BANG || next === QUESTION) at = this.#declaration(at);
      else at++;
    }
  }

  /**
   * Escapes every `<` of the document that may begin a tag and that was not read as one: in attributes, comments and
   * raw text. A browser may disagree with this scan about where these end; it finds no other tags then, so no element
   * of a static page was left as it was.
   */
  escapeUnread(): void {
    const { tags, styles } = this.#read;
    const unread: number[] = [];
    for (let at = this.#chars.indexOf('<'); at >= 0; at = this.#chars.indexOf('<', at + 1)) {
      const next = this.#chars.charCodeAt(at + 1);
      if (next !== SLASH && next !== BANG && next !== QUESTION && !tags.has(at)) unread.push(at);
    }
    let style = 0;
    this.#allEdits.replaceElsewhere(unread, (position) => {
      while (style < styles.length && styles[style]!.to <= position) style++;
      return style < styles.length && styles[style]!.from <= position ? '\\3c ' : '&lt;';
    });
  }

  #endTag(less: number): number {
    const name = this.#nameAt(less + 2).toLowerCase();
    if ((name === 'svg' || name === 'math') && this.#open[name] > 0) this.#open[name]--;
    return this.#skip.afterGreater(less + 2);
  }

  #startTag(less: number): number {
    const written = this.#nameAt(less + 1);
    const tag = readTag(this.#chars, less + 1 + written.length);
    if (tag === null) return this.#chars.length;
    // The attributes that were skipped could do anything.
    if (this.#html.isStatic && tag.attributes.length >= MAX_ATTRIBUTES) return tag.after;
    this.#read.tags.add(less + this.#shift);
    const name = written.toLowerCase();
    if ((name === 'svg' || name === 'math') && !tag.isSelfClosing) this.#open[name]++;
    this.#findHead(name, tag.after);
    rewriteElement(name, tag, this.#contextNow());
    const isForeign = this.#open.svg > 0 || this.#open.math > 0;
    if (tag.isSelfClosing && (isForeign || this.#isXml)) return tag.after;
    // Static pages are shown without scripting, and then the content of this element is ordinary markup.
    const raw = this.#html.isStatic && name === 'noscript' ? undefined : RAW[name];
    if (raw === undefined || ((raw === 'text' || raw === 'markup') && (isForeign || this.#isXml))) return tag.after;
    return this.#rawText(name, raw, tag.after);
  }

  #findHead(name: string, after: number): void {
    if (!this.#isBeforeHead) return;
    if (name === 'html' || name === 'head') this.headAt = after;
    this.hasHead = name === 'head';
    this.#isBeforeHead = name === 'html';
  }

  #contextNow(): ElementContext {
    const { svg, math } = this.#open;
    return {
      place: this.#html.place,
      counts: this.#counts,
      edits: this.#edits,
      inside: svg > 0 ? 'svg' : math > 0 ? 'math' : null,
      isXml: this.#isXml,
      isInert: this.#isInert,
      isStatic: this.#html.isStatic,
      textAt: (from, to) => this.#decode(this.#chars.slice(from, to)),
      inner: (html) => this.#inner(html),
    };
  }

  #rawText(name: string, raw: 'text' | 'markup' | 'css' | 'script', from: number): number {
    const end = name === 'script' ? this.#skip.scriptEnd(from) : this.#skip.rawTextEnd(from, name);
    if (raw === 'css') {
      this.#read.styles.push({ from: from + this.#shift, to: end + this.#shift });
      const css = { chars: this.#chars.slice(from, end), decode: (chars: string) => this.#decode(chars) };
      const replace = (start: number, stop: number, text: string) =>
        this.#edits.replace(from + start, from + stop, text);
      editCss(css, this.#html.place, this.#counts, replace);
    } else if (raw === 'markup' && this.#depth < MAX_NESTED) {
      const html = { ...this.#html, bytes: this.#html.bytes.subarray(from, end) };
      const place = { depth: this.#depth + 1, shift: from + this.#shift, read: this.#read };
      new HtmlScan(html, this.#counts, this.#allEdits, place).run();
    }
    return end;
  }

  /** A document in an attribute is decoded text, so it is UTF-8 here. Its page has the policy already. */
  #inner(html: string): string {
    if (this.#depth >= MAX_NESTED) return '';
    const edits = new ByteEdits();
    const bytes = Buffer.from(html);
    const place = { ...this.#html.place, charset: 'utf-8' };
    const { isStatic } = this.#html;
    const inner = { bytes, place, syntax: 'html', declare: null, isStatic } as const;
    const scan = new HtmlScan(inner, this.#counts, edits, { depth: this.#depth + 1, shift: 0 });
    scan.run();
    if (isStatic) scan.escapeUnread();
    return edits.apply(bytes).toString();
  }

  /** A comment, a doctype, a processing instruction or CDATA. Comments stay as they are. */
  #declaration(less: number): number {
    const chars = this.#chars;
    if (chars.startsWith('<!--', less)) return this.#skip.afterComment(less);
    const isForeign = this.#isXml || this.#open.svg + this.#open.math > 0;
    if (chars.startsWith('<![CDATA[', less) && isForeign) return this.#skip.afterCdata(less);
    const after = this.#skip.afterGreater(less + 2);
    if (this.#isBeforeHead && /^<!doctype/i.test(chars.slice(less, less + 9))) this.headAt = after;
    if (chars.startsWith('<?xml-stylesheet', less)) this.#styleInstruction(less, after);
    return after;
  }

  /** `<?xml-stylesheet href="…"?>` (W3C, associating style sheets with XML documents). */
  #styleInstruction(less: number, after: number): void {
    const written = this.#chars.slice(less, after);
    const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(written);
    // A style sheet in XSLT makes another document, which nobody has rewritten.
    if (this.#html.isStatic) this.#edits.replace(less + 2, less + 5, 'orbweaver');
    if (href === null || this.#html.isStatic) return;
    const target = findTarget(this.#decode(href[1] ?? href[2] ?? ''), this.#html.place);
    if (target === null) return;
    if (target.isLocal) {
      this.#counts.rewritten++;
      const from = less + href.index;
      this.#edits.replace(from, from + href[0].length, ` href=${quoteAttribute(target.href)}`);
    } else {
      this.#counts.leftOut++;
      this.#edits.replace(less + 2, less + 5, 'orbweaver');
    }
  }

  #decode(chars: string): string {
    if (!/[^\0-\x7f]/.test(chars)) return chars;
    const bytes = Buffer.from(chars, 'latin1');
    const { charset } = this.#html.place;
    return charset === 'utf-8' ? bytes.toString() : decodeLegacy(bytes, charset);
  }

  #nameAt(from: number): string {
    const chars = this.#chars;
    let at = from;
    while (at < chars.length && at - from < MAX_NAME_CHARS && !endsTagName(chars.charCodeAt(at))) at++;
    return chars.slice(from, at);
  }
}

interface ScanPlace {
  readonly depth: number;
  /** The position of these bytes in the document that the edits are for. */
  readonly shift: number;
  readonly read?: ReadPlaces;
}

interface ReadPlaces {
  readonly tags: Set<number>;
  readonly styles: { readonly from: number; readonly to: number }[];
}

/** Edits of a part of the document. */
function shifted(edits: ByteEdits, shift: number): ByteEdits {
  const part = new ByteEdits();
  part.replace = (from, to, text) => edits.replace(from + shift, to + shift, text);
  return part;
}

const BANG = 33;
const SLASH = 47;
const QUESTION = 63;
