/**
 * Rewrites the references of one element: the rows of page/references/reference-table.ts, and the elements that need
 * more than one attribute.
 *
 * A link to a URL that the mirror does not have becomes absolute. A reference that a browser requests by itself, such
 * as an image, and that the mirror does not have, moves to an attribute `data-orbweaver-…`, which no browser requests.
 */
import { decodeAttribute } from '../../../page/encoding/references.ts';
import { kindOfRel } from '../../../page/html/link-rel.ts';
import { parseMetaRefresh } from '../../../page/html/refresh.ts';
import { splitSrcset } from '../../../page/html/srcset.ts';
import { CLASS_OF_KIND, type LinkKind } from '../../../page/reference-kinds.ts';
import { animatesUrl, rowOf } from '../../../page/references/read-element-references.ts';
import type { ReferenceCounts } from '../../files/file-form.ts';
import { type ByteEdits, quoteAttribute } from './byte-edits.ts';
import { type DocumentPlace, findTarget } from './find-target.ts';
import type { Attribute, Tag } from './read-tag.ts';
import { rewriteCssText } from './rewrite-css.ts';
import { isSwitchedOff, mayLeadAway } from './static-rules.ts';

/** The document around an element. */
export interface ElementContext {
  readonly place: DocumentPlace;
  readonly counts: ReferenceCounts;
  readonly edits: ByteEdits;
  readonly inside: 'svg' | 'math' | null;
  readonly isXml: boolean;
  /** Whether scripts of the document must not run, because it has no place for a policy. */
  readonly isInert: boolean;
  /** Whether the document only shows (file-form.ts). */
  readonly isStatic: boolean;
  /** The text of a part of the document, with its character references. */
  readonly textAt: (from: number, to: number) => string;
  /** Rewrites a document that is the value of an attribute. */
  readonly inner: (html: string) => string;
}

/** `link` is followed by people, `embed` by the browser itself, `spare` by scripts; `inert` must never be requested. */
type Use = 'link' | 'embed' | 'spare' | 'inert';

const LINKS: ReadonlySet<LinkKind> = new Set<LinkKind>(['cite', 'description', 'math', 'action']);
const EMBEDDED_DOCUMENTS: ReadonlySet<LinkKind> = new Set<LinkKind>(['iframe', 'frame']);
/** Words of `rel` with which a browser requests the target, although they name pages. */
const REQUESTED_RELS = ['prerender', 'import', 'prefetch'];
/**
 * These attributes belong to requests that a mirror does not make, or forbid those that it makes: a file on a disk has
 * no origin, and its bytes differ from those that the page has a hash of.
 */
const DROPPED: ReadonlySet<string> = new Set(['integrity', 'crossorigin', 'csp', 'ping', 'attributionsrc']);
const MAX_SRCSET_URLS = 1_000;
const INERT_TYPE = 'text/x-orbweaver-inert';

export function rewriteElement(name: string, tag: Tag, context: ElementContext): void {
  new ElementRewriter(name, tag, context).run();
}

class ElementRewriter {
  readonly #name: string;
  readonly #tag: Tag;
  readonly #context: ElementContext;
  readonly #edited = new Set<Attribute>();

  constructor(name: string, tag: Tag, context: ElementContext) {
    this.#name = name;
    this.#tag = tag;
    this.#context = context;
  }

  run(): void {
    if (this.#name === 'script') this.#script();
    for (const attribute of this.#tag.attributes) {
      if (this.#context.isStatic) this.#staticAttribute(attribute);
      else this.#attribute(attribute);
    }
  }

  #staticAttribute(attribute: Attribute): void {
    const read = (name: string) => this.value(name) ?? '';
    if (isSwitchedOff(this.#name, attribute.name, read)) this.#rename(attribute);
    else this.#attribute(attribute);
    if (this.#edited.has(attribute)) return;
    if (mayLeadAway(this.#name, attribute.name, this.#valueOf(attribute))) this.#rename(attribute);
  }

  /** The value of an attribute of the element. If it occurs twice, the first one counts. */
  value(name: string): string | undefined {
    const found = this.#find(name);
    return found === undefined ? undefined : this.#valueOf(found);
  }

  #find(name: string): Attribute | undefined {
    return this.#tag.attributes.find((attribute) => attribute.name === name);
  }

  #valueOf({ from, to }: Attribute): string {
    return decodeAttribute(this.#context.textAt(from, to));
  }

  #attribute(attribute: Attribute): void {
    const { name } = attribute;
    if (DROPPED.has(name) || (this.#context.isInert && name.startsWith('on'))) {
      this.#rename(attribute);
      return;
    }
    if (attribute.from === attribute.to) return;
    if (this.#name === 'base' && name === 'href') this.#rename(attribute);
    else if (this.#name === 'link' && name === 'href' && this.#context.inside === null) this.#link(attribute);
    else if (this.#name === 'meta' && name === 'http-equiv') this.#pragma(attribute);
    else if (this.#name === 'form' && name === 'action') this.#url(attribute, 'link');
    else if (this.#name === 'param' && name === 'value') this.#url(attribute, 'spare');
    else if (name === 'codebase' && /^(?:object|applet)$/.test(this.#name)) this.#rename(attribute);
    else this.#row(attribute);
  }

  #row(attribute: Attribute): void {
    const { inside, isXml } = this.#context;
    const row = rowOf(this.#name, attribute.name, inside, { isXml });
    if (row === undefined) {
      if (isXml && attribute.name === 'style') this.#css(attribute);
      return;
    }
    const use = useOf(row.kind);
    if (use === null) return;
    if (row.reads === 'css') this.#css(attribute);
    else if (row.reads === 'srcset') this.#srcset(attribute, use);
    else if (row.reads === 'html') this.#replace(attribute, this.#context.inner(this.#valueOf(attribute)));
    else if (row.reads === 'values') this.#values(attribute);
    else if (row.reads === 'url') {
      const isAnimation = inside === 'svg' && this.value('attributename') !== undefined;
      if (!isAnimation || animatesUrl(this)) this.#url(attribute, use);
    }
  }

  #url(attribute: Attribute, use: Use): void {
    const written = this.#valueOf(attribute);
    const target = findTarget(written, this.#placeFor(attribute));
    if (target === null) return;
    const { counts } = this.#context;
    if (target.isLocal && use !== 'inert') {
      counts.rewritten++;
      this.#replace(attribute, target.href);
    } else if (use === 'link' && !this.#context.isStatic) {
      counts.absolute++;
      this.#replace(attribute, target.href);
    } else if (use !== 'spare') {
      counts.leftOut++;
      this.#rename(attribute, target.href);
    }
  }

  /** The URLs of `<object>` and `<applet>` are relative to their codebase. */
  #placeFor({ name }: Attribute): DocumentPlace {
    const { place } = this.#context;
    const codebase = /^(?:object|applet)$/.test(this.#name) && name !== 'usemap' ? this.value('codebase') : undefined;
    const base = codebase === undefined ? null : URL.parse(codebase.trim(), place.base);
    if (base === null) return place;
    const resolve = (href: string) => place.resolve(URL.parse(href, base.href)?.href ?? href);
    return { ...place, base: base.href, resolve };
  }

  /** Candidates that the mirror does not have are dropped; the browser chooses among the others. */
  #srcset(attribute: Attribute, use: Use): void {
    const { place, counts } = this.#context;
    const written = this.#valueOf(attribute);
    const kept: string[] = [];
    let at = 0;
    let missing = 0;
    let changed = 0;
    for (const href of splitSrcset(written, MAX_SRCSET_URLS)) {
      const start = written.indexOf(href, at);
      const end = start + href.length;
      const rest = /^[^,(]*/.exec(written.slice(end, end + 100))?.[0] ?? '';
      at = end;
      const target = findTarget(href, place);
      if (target === null || target.isLocal) kept.push(`${target?.href ?? href}${rest.trimEnd()}`);
      if (target?.isLocal === true) changed++;
      else if (target !== null) missing++;
    }
    if (changed + missing === 0 || (use === 'spare' && changed === 0)) return;
    counts.rewritten += changed;
    counts.leftOut += missing;
    if (kept.length === 0) this.#rename(attribute);
    else this.#replace(attribute, kept.join(', '));
  }

  #values(attribute: Attribute): void {
    if (!animatesUrl(this)) return;
    const targets = this.#valueOf(attribute)
      .split(';')
      .map((href) => [href, findTarget(href, this.#context.place)] as const);
    if (targets.some(([, target]) => target !== null && !target.isLocal)) this.#rename(attribute);
    else this.#replace(attribute, targets.map(([href, target]) => target?.href ?? href).join(';'));
  }

  #css(attribute: Attribute): void {
    const { place, counts } = this.#context;
    const written = this.#valueOf(attribute);
    // Most styles have no URL.
    if (!/url|src|image|import|\\/i.test(written)) return;
    this.#replace(attribute, rewriteCssText(written, place, counts));
  }

  #link(attribute: Attribute): void {
    // Only style sheets and icons of a static page are left.
    if (this.#context.isStatic) {
      this.#url(attribute, 'embed');
      return;
    }
    const rel = (this.value('rel') ?? '').toLowerCase();
    const kind = kindOfRel(rel, this.value('type') ?? '');
    if (kind === 'canonical') {
      // The canonical URL says where the page comes from, so it stays a URL of the web.
      const url = URL.parse(this.#valueOf(attribute).trim(), this.#context.place.base);
      if (url !== null) this.#replace(attribute, url.href);
      return;
    }
    const isRequested = REQUESTED_RELS.some((word) => rel.split(/\s+/).includes(word));
    this.#url(attribute, kind === null ? 'inert' : isRequested ? 'embed' : (useOf(kind) ?? 'link'));
  }

  /** `<meta http-equiv>`: a redirect to a file of the mirror stays. A policy of the site would forbid files. */
  #pragma(attribute: Attribute): void {
    const name = this.#valueOf(attribute).trim().toLowerCase();
    if (name.includes('content-security-policy')) this.#rename(attribute);
    const content = this.#find('content');
    if (name !== 'refresh' || content === undefined) return;
    const written = this.#valueOf(content);
    const href = parseMetaRefresh(written.trim());
    const target = href === null ? null : findTarget(href, this.#context.place);
    if (target === null) return;
    if (target.isLocal) {
      this.#context.counts.rewritten++;
      const seconds = /^[\s\d.]*/.exec(written)![0].trim();
      this.#replace(content, `${seconds || '0'}; url=${target.href}`);
    } else {
      this.#context.counts.leftOut++;
      this.#rename(attribute);
    }
  }

  /** Speculation rules make the browser request pages in advance. */
  #script(): void {
    const { isInert, edits } = this.#context;
    const type = this.#find('type');
    const isSpeculation = type !== undefined && this.#valueOf(type).trim().toLowerCase() === 'speculationrules';
    if (!isInert && !isSpeculation) return;
    if (type !== undefined && type.outerTo > type.nameTo) this.#replace(type, INERT_TYPE);
    // An attribute that comes first counts.
    else if (type === undefined) edits.replace(...this.#afterName(), ` type="${INERT_TYPE}"`);
    else edits.replace(type.nameFrom, type.nameTo, `type="${INERT_TYPE}"`);
  }

  #afterName(): [number, number] {
    const [first] = this.#tag.attributes;
    const at = first === undefined ? this.#tag.after - (this.#tag.isSelfClosing ? 2 : 1) : first.nameFrom - 1;
    return [at, at];
  }

  #replace(attribute: Attribute, value: string): void {
    this.#edited.add(attribute);
    if (value === this.#valueOf(attribute)) return;
    this.#context.edits.replace(attribute.outerFrom, attribute.outerTo, quoteAttribute(value));
  }

  #rename(attribute: Attribute, value?: string): void {
    const { edits } = this.#context;
    this.#edited.add(attribute);
    edits.replace(attribute.nameFrom, attribute.nameTo, `data-orbweaver-${attribute.name.replace(/[^a-z0-9-]/g, '-')}`);
    if (value !== undefined) this.#replace(attribute, value);
  }
}

/** Null for attributes that are left as they are. */
function useOf(kind: LinkKind): Use | null {
  if (kind === 'lazy') return 'spare';
  if (LINKS.has(kind)) return 'link';
  if (EMBEDDED_DOCUMENTS.has(kind) || CLASS_OF_KIND[kind] === 'asset') return 'embed';
  return CLASS_OF_KIND[kind] === 'document' ? 'link' : null;
}
