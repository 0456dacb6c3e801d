/**
 * Writes the shown nodes of a page in document order. In: the nodes of a page and a form (Markdown or plain text). Out:
 * the text of the page, or of one cell of a table.
 *
 * What always holds: one pass with a stack of open elements, no recursion over the depth of the page. The cells of a
 * data table are written by one nested call; in a cell, tables and blocks are flat, so there is no second one.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { readCodeBlock } from '../elements/code-block.ts';
import { KIND } from '../elements/element-kinds.ts';
import { type Footnotes, findFootnotes } from '../elements/footnotes.ts';
import type { Formula } from '../elements/formulas.ts';
import { HIDDEN, type PageNodes, SHOWN, SPACE } from '../elements/page-nodes.ts';
import { type TableGrid, TableReader } from '../elements/table-grid.ts';
import { BlockWriter } from './block-writer.ts';
import { FORMAT, InlineText } from './inline-text.ts';
import { ListWriter } from './list-writer.ts';
import type { OutputForm } from './output-form.ts';

/** Elements that are shown although they contain nothing. */
const WITHOUT_CONTENT = new Set<number>([KIND.BREAK, KIND.INPUT]);
const NO_FOOTNOTES: Footnotes = { references: new Map(), notes: new Map() };

export class PageWriter {
  readonly #page: PageNodes;
  readonly #form: OutputForm;
  readonly #blocks = new BlockWriter();
  readonly #lists: ListWriter;
  readonly #tables: TableReader;
  readonly #footnotes: Footnotes;
  #inline = new InlineText();
  /** Above 0 in headings and cells, where blocks cannot be written. */
  #flat = 0;

  constructor(page: PageNodes, form: OutputForm) {
    this.#page = page;
    this.#form = form;
    this.#footnotes = page.fragmentLinks.length > 0 ? findFootnotes(page) : NO_FOOTNOTES;
    this.#tables = new TableReader(page);
    this.#lists = new ListWriter(page, this.#blocks);
  }

  writePage(): string {
    this.#walk(0, this.#page.tree.nodes.length);
    this.#endParagraph();
    return this.#blocks.finish();
  }

  /** The content of one cell or caption, on lines that the form joins. */
  writeCell(cell: number): string {
    const outer = this.#inline;
    this.#inline = new InlineText();
    this.#flat++;
    this.#walk(cell + 1, this.#page.tree.end(cell));
    this.#flat--;
    const text = this.#form.cell(this.#inline.take());
    this.#inline = outer;
    return text;
  }

  /** Reads the nodes of a range, which consists of whole subtrees. */
  #walk(from: number, to: number): void {
    const { tree, marks } = this.#page;
    const { nodes } = tree;
    const open: number[] = [];
    for (let at = from; at < to; ) {
      while (open.length > 0 && at >= tree.end(open.at(-1) as number)) this.#leave(open.pop() as number);
      const mark = marks[at] as number;
      if ((mark & (SHOWN | SPACE)) === 0 || mark & HIDDEN) {
        if ((mark & HIDDEN) === 0) this.#passEmpty(this.#page.kinds[at] as number);
        at = tree.end(at);
        continue;
      }
      const node = nodes[at] as OutlineNode;
      if (node.kind === 'text') {
        this.#inline.addText(node.text);
        at++;
      } else if (this.#blocks.isFull) return;
      else if ((mark & SHOWN) === 0 && !WITHOUT_CONTENT.has(this.#page.kinds[at] as number)) at++;
      else if (this.#enter(at)) open.push(at++);
      else at = tree.end(at);
    }
    while (open.length > 0) this.#leave(open.pop() as number);
  }

  /** An empty block still ends the line before it. */
  #passEmpty(kind: number): void {
    if (kind === KIND.CELL) this.#inline.addSpace();
    else if (kind < KIND.BLOCK || kind > KIND.RULE) return;
    else if (this.#flat > 0) this.#inline.addBreak();
    else this.#endParagraph();
  }

  /** Returns false if the content of the element is not to be read: it has none, or it is written. */
  #enter(at: number): boolean {
    const reference = this.#footnotes.references.get(at);
    if (reference !== undefined) {
      this.#inline.addAtom(this.#form.reference(reference));
      return false;
    }
    const note = this.#footnotes.notes.get(at);
    if (note !== undefined && this.#flat === 0) {
      this.#endParagraph();
      if (this.#blocks.canNest) this.#blocks.openNote(...this.#form.notePrefixes(note));
      else this.#tooDeep.add(at);
      return true;
    }
    const kind = this.#page.kinds[at] as number;
    switch (kind) {
      case KIND.INLINE:
      case KIND.BUTTON:
      case KIND.NOSCRIPT:
        return true;
      case KIND.STRONG:
        return this.#openFormat(FORMAT.STRONG);
      case KIND.EMPHASIS:
        return this.#openFormat(FORMAT.EMPHASIS);
      case KIND.DELETED:
        return this.#openFormat(FORMAT.DELETED);
      case KIND.SUBSCRIPT:
        return this.#openFormat(FORMAT.SUB);
      case KIND.SUPERSCRIPT:
        return this.#openFormat(FORMAT.SUP);
      case KIND.KEY:
        return this.#openFormat(FORMAT.KEY);
      case KIND.CODE:
        this.#inline.openCode();
        return true;
      case KIND.LINK:
        return this.#openLink(at);
      case KIND.QUOTATION:
        this.#inline.addText('“');
        return true;
      case KIND.IMAGE:
        this.#addImage(at);
        return false;
      case KIND.FORMULA:
        this.#addFormula(this.#page.formulas.get(at) as Formula);
        return false;
      case KIND.BREAK:
        this.#inline.addBreak();
        return false;
      case KIND.INPUT:
        this.#addCheckBox(at);
        return false;
      default:
        return this.#enterBlock(at, kind);
    }
  }

  #enterBlock(at: number, kind: number): boolean {
    if (this.#flat > 0) return this.#enterFlat(at, kind);
    this.#endParagraph();
    switch (kind) {
      case KIND.HEADING:
        this.#flat++;
        return true;
      case KIND.RULE:
        if (this.#form.rule !== '') this.#blocks.write(this.#form.rule);
        return false;
      case KIND.PRE: {
        const { code, language } = readCodeBlock(this.#page, at);
        if (code !== '') this.#blocks.write(this.#form.codeBlock(code, language));
        return false;
      }
      case KIND.TABLE: {
        const grid = this.#tables.read(at);
        if (grid !== null) this.#writeTable(grid);
        return grid === null;
      }
      case KIND.QUOTE:
        if (this.#blocks.canNest) this.#blocks.openQuote();
        else this.#tooDeep.add(at);
        return true;
      case KIND.DETAILS:
        if (this.#form.detailsStart !== '') this.#blocks.write(this.#form.detailsStart);
        return true;
      case KIND.SUMMARY:
        if (this.#form.summaryStart !== '') this.#blocks.write(this.#form.summaryStart);
        return true;
      default:
        this.#lists.enter(at, kind, this.#inline);
        return true;
    }
  }

  /** Quotes and notes that were not opened, because too many containers were open. */
  readonly #tooDeep = new Set<number>();

  #enterFlat(at: number, kind: number): boolean {
    if (kind === KIND.CELL || kind === KIND.RULE) this.#inline.addSpace();
    else this.#inline.addBreak();
    if (kind !== KIND.PRE) return kind !== KIND.RULE;
    for (const line of readCodeBlock(this.#page, at).code.split('\n')) {
      if (line.trim() !== '') this.#inline.addCode(line.trimEnd());
      this.#inline.addBreak();
    }
    return false;
  }

  #leave(at: number): void {
    const kind = this.#page.kinds[at] as number;
    if (this.#footnotes.notes.has(at) && this.#flat === 0) {
      this.#endParagraph();
      if (!this.#tooDeep.delete(at)) this.#blocks.close();
      return;
    }
    switch (kind) {
      case KIND.INLINE:
      case KIND.BUTTON:
      case KIND.NOSCRIPT:
        return;
      case KIND.STRONG:
      case KIND.EMPHASIS:
      case KIND.DELETED:
      case KIND.SUBSCRIPT:
      case KIND.SUPERSCRIPT:
      case KIND.KEY:
        this.#inline.close();
        return;
      case KIND.LINK:
        if (this.#openLinks.delete(at)) this.#inline.close();
        return;
      case KIND.CODE:
        this.#inline.closeCode();
        return;
      case KIND.QUOTATION:
        this.#inline.addText('”');
        return;
      case KIND.HEADING:
        if (this.#flat === 1) this.#endHeading(at);
        this.#flat--;
        return;
    }
    if (this.#flat > 0) {
      this.#inline.addBreak();
      return;
    }
    this.#endParagraph();
    if (kind === KIND.QUOTE) {
      if (!this.#tooDeep.delete(at)) this.#blocks.close();
    } else if (kind === KIND.DETAILS) {
      if (this.#form.detailsEnd !== '') this.#blocks.write(this.#form.detailsEnd);
    } else if (kind === KIND.SUMMARY) {
      if (this.#form.summaryEnd !== '') this.#blocks.write(this.#form.summaryEnd);
    } else this.#lists.leave(at, kind, this.#inline);
  }

  #endParagraph(): void {
    const tokens = this.#inline.take();
    if (tokens.length > 0) this.#blocks.write(this.#form.paragraph(tokens));
  }

  #endHeading(at: number): void {
    const tokens = this.#inline.take();
    if (tokens.length > 0) this.#blocks.write(this.#form.heading(tokens, this.#levelOf(at)));
  }

  #levelOf(at: number): number {
    const { name } = this.#page.tree.nodes[at] as OutlineNode;
    const level = /^h[1-6]$/.test(name) ? Number(name[1]) : Number(this.#page.tree.attribute(at, 'aria-level') ?? 2);
    return level >= 1 && level <= 6 ? Math.floor(level) : 6;
  }

  #openFormat(format: number): boolean {
    this.#inline.open(format, '');
    return true;
  }

  readonly #openLinks = new Set<number>();

  #openLink(at: number): boolean {
    const href = this.#page.tree.attribute(at, 'href');
    const target = href === null ? null : this.#form.linkTarget(href);
    if (target !== null) {
      this.#openLinks.add(at);
      this.#inline.open(FORMAT.LINK, target);
    }
    return true;
  }

  #addImage(at: number): void {
    const text = this.#form.image((name) => this.#page.tree.attribute(at, name));
    if (text.isText) this.#inline.addText(text.text);
    else this.#inline.addAtom(text.text);
  }

  #addFormula({ tex, isBlock }: Formula): void {
    if (!isBlock || this.#flat > 0) {
      this.#inline.addAtom(this.#form.formula(tex));
      return;
    }
    this.#endParagraph();
    this.#blocks.write(this.#form.formulaBlock(tex));
  }

  #addCheckBox(at: number): void {
    if (this.#page.tree.attribute(at, 'type')?.toLowerCase() !== 'checkbox') return;
    if (!this.#inline.isEmpty || !this.#blocks.isAtStart || this.#flat > 0) return;
    this.#inline.addAtom(this.#page.tree.attribute(at, 'checked') === null ? '[ ]' : '[x]');
    this.#inline.addSpace();
  }

  #writeTable(grid: TableGrid): void {
    if (grid.caption >= 0) {
      const caption = this.writeCell(grid.caption);
      if (caption !== '') this.#blocks.write(this.#form.caption(caption));
    }
    const rows = grid.rows.map((cells, row) =>
      cells.map((cell, column) => (grid.repeats[row]?.[column] ? '' : this.writeCell(cell))),
    );
    this.#blocks.write(this.#form.table(rows, grid, (cell) => this.#page.tree.attribute(cell, 'align')));
  }
}
