/**
 * Tracks whether the scan is inside svg or math. Other rules hold there: `<![CDATA[` opens real CDATA, and title,
 * style, script and similar elements contain markup. Only the elements that change the rules are kept, not the tree.
 * docs/page.md lists the broken documents for which this makes a difference.
 */
import { BLOCK, BREAKS_OUT, HIDEABLE, SPACED, TAGS } from './html-names.ts';

const SVG = TAGS.id('svg');
const MATH = TAGS.id('math');
const FONT = TAGS.id('font');
const BR = TAGS.id('br');
const BODY = TAGS.id('body');
const HEAD = TAGS.id('head');
const P = TAGS.id('p');
const ANNOTATION_XML = TAGS.id('annotation-xml');
const SVG_HTML_POINTS = new Set(['foreignobject', 'desc', 'title'].map((name) => TAGS.id(name)));
const MATH_TEXT_POINTS = new Set(['mi', 'mo', 'mn', 'ms', 'mtext'].map((name) => TAGS.id(name)));

const IN_SVG = 1;
const IN_MATH = 2;
/** A place inside svg or math where HTML begins again (an integration point). */
const IN_HTML = 3;
/**
 * Deeper elements are not tracked. Real pages are never so deep, and searching a deep stack would slow down the scan.
 */
const MAX_DEPTH = 64;

export interface ForeignTag {
  selfClosing: boolean;
  /** `<annotation-xml encoding>` with an HTML type. */
  holdsHtml: boolean;
  /** `<font>` with color, face or size. Only such a `<font>` ends the foreign content. */
  styledFont: boolean;
}

export class ForeignContent {
  readonly #elements: number[] = [];
  readonly #rules: number[] = [];
  /** Whether the rules of foreign content apply now. */
  inside = false;
  /** Whether any foreign element is open. Also true inside HTML within a foreign element. */
  open = false;

  startTag(id: number, bits: number, tag: ForeignTag): void {
    if (!this.inside) {
      if ((id === SVG || id === MATH) && !tag.selfClosing) this.#push(id, id === SVG ? IN_SVG : IN_MATH);
      return;
    }
    if (bits & BREAKS_OUT && (id !== FONT || tag.styledFont)) {
      this.#breakOut();
      return;
    }
    if (tag.selfClosing) return;
    if (this.#rules.at(-1) === IN_SVG) {
      if (SVG_HTML_POINTS.has(id)) this.#push(id, IN_HTML);
      else if (id === SVG || id === MATH) this.#push(id, IN_SVG);
    } else if (MATH_TEXT_POINTS.has(id)) this.#push(id, IN_HTML);
    else if (id === ANNOTATION_XML) this.#push(id, tag.holdsHtml ? IN_HTML : IN_MATH);
    else if (id === SVG) this.#push(id, this.#elements.at(-1) === ANNOTATION_XML ? IN_SVG : IN_MATH);
    else if (id === MATH) this.#push(id, IN_MATH);
  }

  /** `openOutside`: whether an element of this name is open, according to the count of tags. */
  endTag(id: number, bits: number, openOutside: boolean): void {
    const at = this.#elements.lastIndexOf(id);
    if (at >= 0) {
      this.#elements.length = at;
      this.#rules.length = at;
      this.#update();
      return;
    }
    if (!this.inside) return;
    // `<div><svg></div>`: no div can be open inside the svg, so the tag ends the outer div and, with it, the svg.
    const endsOutside = openOutside && bits & (BREAKS_OUT | BLOCK | HIDEABLE | SPACED) && id !== BODY && id !== HEAD;
    if (endsOutside || id === BR || id === P) this.#breakOut();
  }

  #push(id: number, rule: number): void {
    if (this.#rules.length >= MAX_DEPTH) return;
    this.#elements.push(id);
    this.#rules.push(rule);
    this.#update();
  }

  #breakOut(): void {
    let depth = this.#rules.length;
    while (depth > 0 && this.#rules[depth - 1] !== IN_HTML) depth--;
    this.#elements.length = depth;
    this.#rules.length = depth;
    this.#update();
  }

  #update(): void {
    const rule = this.#rules.at(-1);
    this.open = rule !== undefined;
    this.inside = rule === IN_SVG || rule === IN_MATH;
  }
}
