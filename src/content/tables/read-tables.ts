/**
 * Reads the data tables of a page. In: the tree of a page and the nodes to keep. Out: each table as a grid of texts. A
 * cell that spans rows or columns has its text at every place that it covers, so each row is complete by itself.
 *
 * What always holds: linear time, no exception. All tables together have at most two million places and 20 million
 * characters; further rows are left out.
 */
import { KIND } from '../elements/element-kinds.ts';
import { readNodes, SHOWN } from '../elements/page-nodes.ts';
import { TableReader } from '../elements/table-grid.ts';
import { PageWriter } from '../markdown/page-writer.ts';
import { TextForm } from '../markdown/text-form.ts';
import type { PageTree } from '../page-tree.ts';

const MAX_PLACES = 2_000_000;
const MAX_CHARS = 20_000_000;

export interface PageTable {
  /** '' if the table has none. */
  readonly caption: string;
  /** How many rows at the start are headers. */
  readonly headerRows: number;
  /** All rows have the same number of cells. Line breaks in a cell are `\n`. */
  readonly rows: readonly (readonly string[])[];
}

export function readTables(tree: PageTree, kept: Uint8Array | null): PageTable[] {
  const page = readNodes(tree, kept);
  const reader = new TableReader(page);
  const writer = new PageWriter(page, new TextForm('\n'));
  const tables: PageTable[] = [];
  let [places, chars] = [0, 0];
  for (let at = 0; at < tree.nodes.length; at++) {
    if (page.kinds[at] !== KIND.TABLE || ((page.marks[at] as number) & SHOWN) === 0) continue;
    const grid = reader.read(at);
    if (grid === null) continue;
    const texts = new Map<number, string>();
    const rows: string[][] = [];
    for (const cells of grid.rows) {
      places += grid.columns;
      if (places > MAX_PLACES || chars > MAX_CHARS) return tables;
      const row = new Array<string>(grid.columns).fill('');
      for (const [column, cell] of cells.entries()) {
        const text = texts.get(cell) ?? writer.writeCell(cell);
        texts.set(cell, text);
        chars += text.length;
        row[column] = text;
      }
      rows.push(row);
    }
    const caption = grid.caption < 0 ? '' : writer.writeCell(grid.caption);
    tables.push({ caption, headerRows: grid.headerRows, rows });
    at = tree.end(at) - 1;
  }
  return tables;
}
