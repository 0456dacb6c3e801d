/**
 * The stack of open elements at a position of a document. It gives the level and the parent of each node. End tags may
 * be missing or may end nothing. These cases follow the tree builder of the HTML standard (13.2.6.4), except that no
 * elements are invented (`<tbody>`, reopened formatting elements): an outline contains only written elements.
 *
 * What always holds: at most MAX_DEPTH elements are kept. Deeper elements are only counted, and share one level.
 */
import * as bit from './outline-elements.ts';

const { ELEMENTS } = bit;
const P = ELEMENTS.id('p');
const A = ELEMENTS.id('a');
const HTML = ELEMENTS.id('html');
const HEAD = ELEMENTS.id('head');
const BODY = ELEMENTS.id('body');
const BUTTON = ELEMENTS.id('button');
const TEMPLATE = ELEMENTS.id('template');
const TABLE = ELEMENTS.id('table');
const TR = ELEMENTS.id('tr');
const OPTION = ELEMENTS.id('option');
const OPTGROUP = ELEMENTS.id('optgroup');
const LI = ELEMENTS.id('li');
const LISTS = idsOf('ul ol');
const CELLS = idsOf('td th');
const SECTIONS = idsOf('tbody thead tfoot');
const RUBY_PARTS = idsOf('rt rp rb rtc');
/** The search for an open item continues past these elements, although they are special. */
const PASSED_BY_ITEMS = idsOf('address div p');

/** Browsers have the same limit. */
export const MAX_DEPTH = 512;

export class OpenElements {
  readonly #ids: number[] = [];
  readonly #bits: number[] = [];
  readonly #nodes: number[] = [];
  readonly #foreign: boolean[] = [];
  /** The number of open elements. Array entries beyond it are stale. */
  #depth = 0;
  /** How many elements of each name are open. An end tag that ends nothing is then recognized without a search. */
  readonly #open: number[] = [];
  #tooDeep = 0;
  /** How many formatting elements ended because an element around them ended. A browser opens them again later. */
  #dropped = 0;

  /** The level of the next node. */
  get level(): number {
    return this.#depth + (this.#tooDeep > 0 ? 2 : 1);
  }

  /** The index of the innermost open element among the nodes, or -1 if no element is open. */
  get parent(): number {
    return this.#depth === 0 ? -1 : (this.#nodes[this.#depth - 1] as number);
  }

  get isTooDeep(): boolean {
    return this.#tooDeep > 0;
  }

  contains(id: number): boolean {
    return (this.#open[id] ?? 0) > 0;
  }

  /** Opens an element. `foreign` is true for elements of svg or math. */
  push(id: number, bits: number, node: number, foreign: boolean): void {
    if (this.#tooDeep > 0 || this.#depth >= MAX_DEPTH) {
      this.#tooDeep++;
      return;
    }
    const at = this.#depth++;
    this.#ids[at] = id;
    this.#bits[at] = bits;
    this.#nodes[at] = node;
    this.#foreign[at] = foreign;
    this.#open[id] = (this.#open[id] ?? 0) + 1;
  }

  /** Ends the elements that the start tag of this element ends. Called before the element is opened. */
  makeRoom(id: number, bits: number): void {
    if (this.#tooDeep > 0 || this.#depth === 0) return;
    const top = this.#ids[this.#depth - 1] as number;
    if (top === HEAD && (bits & bit.OF_HEAD) === 0) this.#popTo(this.#depth - 1);
    if (bits & bit.ITEM) this.#endItem(id);
    if (bits & bit.ENDS_P && this.contains(P)) this.#endInScope(P);
    if (bits & bit.HEADING && this.#topBits() & bit.HEADING) this.#popTo(this.#depth - 1);
    if (bits & bit.TABLE_PART && this.contains(TABLE)) this.#clearTable(id);
    if (id === OPTION || id === OPTGROUP) this.#popWhile((open) => open === OPTION || open === id);
    else if (bits & bit.RUBY_PART) this.#popWhile((open) => RUBY_PARTS.has(open));
    else if (id === BUTTON && this.contains(BUTTON)) this.#endInScope(BUTTON);
    else if (id === A && this.contains(A)) this.#endOrdinary(A);
  }

  /** Handles an end tag. Returns false if it ends nothing. */
  end(id: number, bits: number): boolean {
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return false;
    }
    // Everything after these end tags still belongs to the body.
    if (id === BODY || id === HTML) return true;
    if (bits & bit.HEADING) return this.#endHeading();
    if (!this.contains(id)) return false;
    return bits & bit.SPECIAL ? this.#endInScope(id) : this.#endOrdinary(id);
  }

  /** How many formatting elements ended without their own end tag since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Ends the innermost open elements as long as they belong to svg or math. */
  leaveForeign(): void {
    let depth = this.#depth;
    while (depth > 0 && this.#foreign[depth - 1]) depth--;
    this.#popTo(depth);
  }

  #endOrdinary(id: number): boolean {
    for (let at = this.#depth - 1; at >= 0; at--) {
      if (this.#ids[at] === id) return this.#popTo(at);
      if ((this.#bits[at] as number) & bit.SPECIAL) return false;
    }
    return false;
  }

  #endInScope(id: number): boolean {
    const isTable = id === TABLE || ((bit.ELEMENT_BITS[id] ?? 0) & bit.TABLE_PART) !== 0;
    for (let at = this.#depth - 1; at >= 0; at--) {
      const open = this.#ids[at] as number;
      if (open === id) return this.#popTo(at);
      if (id === TEMPLATE) continue;
      if (isTable) {
        if (open === TABLE || open === TEMPLATE || open === HTML) return false;
      } else if ((this.#bits[at] as number) & bit.SCOPE) return false;
      else if ((id === P && open === BUTTON) || (id === LI && LISTS.has(open))) return false;
    }
    return false;
  }

  /** `<h1>…</h2>` ends the h1. */
  #endHeading(): boolean {
    for (let at = this.#depth - 1; at >= 0; at--) {
      const bits = this.#bits[at] as number;
      if (bits & bit.HEADING) return this.#popTo(at);
      if (bits & bit.SCOPE) return false;
    }
    return false;
  }

  #endItem(id: number): void {
    for (let at = this.#depth - 1; at >= 0; at--) {
      const open = this.#ids[at] as number;
      const bits = this.#bits[at] as number;
      // `<dt>` ends `<dd>` and `<dd>` ends `<dt>`. `<li>` ends only `<li>`.
      if (bits & bit.ITEM && (open === LI) === (id === LI)) {
        this.#popTo(at);
        return;
      }
      if (bits & bit.SPECIAL && !PASSED_BY_ITEMS.has(open)) return;
    }
  }

  /**
   * Ends elements up to the place where a part of a table may stand: a cell in its row, a row
   * in its section, every other part in the table.
   */
  #clearTable(id: number): void {
    const isCell = CELLS.has(id);
    const isRow = id === TR;
    for (let at = this.#depth - 1; at >= 0; at--) {
      const open = this.#ids[at] as number;
      if (open === TEMPLATE || open === HTML) return;
      if (open === TABLE || (isCell && open === TR) || ((isCell || isRow) && SECTIONS.has(open))) {
        this.#popTo(at + 1);
        return;
      }
    }
  }

  #popWhile(isEnded: (open: number) => boolean): void {
    let depth = this.#depth;
    while (depth > 0 && isEnded(this.#ids[depth - 1] as number)) depth--;
    this.#popTo(depth);
  }

  #popTo(depth: number): true {
    for (let at = this.#depth - 1; at >= depth; at--) {
      const id = this.#ids[at] as number;
      this.#open[id] = (this.#open[id] as number) - 1;
      if (at > depth && (this.#bits[at] as number) & bit.FORMATTING) this.#dropped++;
    }
    this.#depth = depth;
    return true;
  }

  #topBits(): number {
    return this.#depth === 0 ? 0 : (this.#bits[this.#depth - 1] as number);
  }
}

function idsOf(names: string): ReadonlySet<number> {
  return new Set(names.split(' ').map((name) => ELEMENTS.id(name)));
}
