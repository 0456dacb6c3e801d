/**
 * Reads the data tables of a page. In: the tree of a page and the nodes of its main content. Out: each table as a grid
 * of texts. A cell that spans rows or columns has its text at every place that it covers, so each row is complete by
 * itself.
 *
 * What always holds: linear time, no exception. A table is read whole or not at all: it counts as main content if at
 * least half of its text does. All tables together have at most two million places and 20 million characters, and there
 * are at most 10,000 of them.
 */
import { KIND } from '../elements/element-kinds.ts';
import { type PageNodes, readNodes, SHOWN } from '../elements/page-nodes.ts';
import { type TableGrid, TableReader } from '../elements/table-grid.ts';
import { PageWriter } from '../markdown/page-writer.ts';
import { TextForm } from '../markdown/text-form.ts';
import type { PageTree } from '../page-tree.ts';

const MAX_TABLES = 10_000;
const MAX_PLACES = 2_000_000;
const MAX_CHARS = 20_000_000;
const LEAST_KEPT = 0.5;

export interface PageTable {
  /** '' if the table has none. */
  readonly caption: string;
  /** The last heading before the table; '' if there is none. */
  readonly heading: string;
  /** How many rows at the start are headers. */
  readonly headerRows: number;
  /** All rows have the same number of cells. Line breaks in a cell are `\n`. */
  readonly rows: readonly (readonly string[])[];
  /** False if the limits cut the table off. */
  readonly isComplete: boolean;
}

export interface PageTables {
  readonly tables: readonly PageTable[];
  /** Tables that the limits left out. */
  readonly leftOut: number;
}

/** `kept` has 1 for each node that is main content; null keeps the whole page. */
export function readTables(tree: PageTree, kept: Uint8Array | null): PageTables {
  // Everything is shown, because a table of which only some cells are main content would have holes.
  const page = readNodes(tree, null);
  const isKept = kept === null ? () => true : keptTest(tree, page, kept);
  const reader = new TableReader(page);
  const texts = new GridTexts(page);
  const tables: PageTable[] = [];
  let [leftOut, heading] = [0, -1];
  for (let at = 0; at < tree.nodes.length; at++) {
    if (((page.marks[at] as number) & SHOWN) === 0) continue;
    if (page.kinds[at] === KIND.HEADING) heading = at;
    if (page.kinds[at] !== KIND.TABLE || !isKept(at)) continue;
    const grid = reader.read(at);
    if (grid === null) continue;
    if (tables.length < MAX_TABLES && !texts.isFull) tables.push(texts.read(grid, heading));
    else leftOut++;
    at = tree.end(at) - 1;
  }
  return { tables, leftOut };
}

/** Returns a test whether most of the text in an element is kept. */
function keptTest(tree: PageTree, { marks }: PageNodes, kept: Uint8Array): (node: number) => boolean {
  const { nodes } = tree;
  // For each node, the characters of the shown texts before it, and how many of them are kept.
  const [shown, keptChars] = [new Float64Array(nodes.length + 1), new Float64Array(nodes.length + 1)];
  for (let at = 0; at < nodes.length; at++) {
    const isShown = nodes[at]?.kind === 'text' && ((marks[at] as number) & SHOWN) !== 0;
    const chars = isShown ? (nodes[at]?.text.length as number) : 0;
    shown[at + 1] = (shown[at] as number) + chars;
    keptChars[at + 1] = (keptChars[at] as number) + (kept[at] === 1 ? chars : 0);
  }
  const within = (sums: Float64Array, node: number) => (sums[tree.end(node)] as number) - (sums[node] as number);
  return (node) => within(keptChars, node) > 0 && within(keptChars, node) >= LEAST_KEPT * within(shown, node);
}

/** Writes the texts of grids, within the limits of a page. */
class GridTexts {
  isFull = false;
  readonly #writer: PageWriter;
  #places = 0;
  #chars = 0;
  #heading = -1;
  #headingText = '';

  constructor(page: PageNodes) {
    this.#writer = new PageWriter(page, new TextForm('\n'));
  }

  read(grid: TableGrid, heading: number): PageTable {
    if (heading !== this.#heading) {
      this.#heading = heading;
      this.#headingText = this.#writer.writeCell(heading);
    }
    const caption = grid.caption < 0 ? '' : this.#writer.writeCell(grid.caption);
    const rows: string[][] = [];
    const texts = new Map<number, string>();
    for (const cells of grid.rows) {
      this.#places += grid.columns;
      if (this.#places > MAX_PLACES) this.isFull = true;
      if (this.isFull) break;
      rows.push(this.#readRow(cells, grid.columns, texts));
    }
    const { headerRows } = grid;
    return { caption, heading: this.#headingText, headerRows, rows, isComplete: !this.isFull };
  }

  #readRow(cells: readonly number[], columns: number, texts: Map<number, string>): string[] {
    const row = new Array<string>(columns).fill('');
    for (const [column, cell] of cells.entries()) {
      const text = texts.get(cell) ?? this.#writer.writeCell(cell);
      texts.set(cell, text);
      // A long text in a cell with many columns would be repeated in each of them.
      if (this.#chars + text.length > MAX_CHARS) this.isFull = true;
      if (this.isFull) break;
      this.#chars += text.length;
      row[column] = text;
    }
    return row;
  }
}
