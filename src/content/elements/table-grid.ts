/**
 * Reads a table as a grid. In: the node of a table. Out: for each place in the grid the cell that covers it. Tables
 * that only arrange a page (layout tables) are no data tables; their cells are read as ordinary blocks.
 *
 * What always holds: a table that contains tables is a data table only if it has header cells and few of its cells
 * contain tables. Those are read as text of their cells, so the grids of a page do not overlap. A budget limits the
 * places of all grids of a page, whatever spans its cells claim.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { KIND } from './element-kinds.ts';
import { HAS_BLOCKS, HAS_HEADER_CELL, HAS_TABLE, HIDDEN, type PageNodes, SHOWN } from './page-nodes.ts';

/** The standard of HTML has the same limit for `colspan`. */
const MAX_COLUMNS = 1_000;
const MAX_PLACES = 2_000_000;
/** At most one cell in so many of a data table may contain a table. Most cells of a layout table do. */
const CELLS_PER_INNER_TABLE = 8;
/** The class `metadata` of MediaWiki is for boxes about the page. */
const DATA_CLASS = /(?:^|\s)\S{0,40}(?:table|grid|(?<!meta)data|wikitable|docutils|list)/i;

export interface TableGrid {
  /** For each row, the node of the cell at each place. Rows may have fewer places than the table has columns. */
  readonly rows: readonly (readonly number[])[];
  /** 1 where a cell continues that began at another place. */
  readonly repeats: readonly (readonly number[])[];
  readonly columns: number;
  /** How many rows at the start are headers. */
  readonly headerRows: number;
  /** The node of the caption, or -1. */
  readonly caption: number;
}

export class TableReader {
  readonly #page: PageNodes;
  #placesLeft = MAX_PLACES;

  constructor(page: PageNodes) {
    this.#page = page;
  }

  /** The grid, or null if the table only arranges the page. */
  read(table: number): TableGrid | null {
    const { marks, tree } = this.#page;
    const mark = marks[table] as number;
    const role = tree.attribute(table, 'role');
    if ((mark & SHOWN) === 0 || role === 'presentation' || role === 'none') return null;
    const hasHeaders = (mark & HAS_HEADER_CELL) !== 0;
    if (!hasHeaders && mark & (HAS_BLOCKS | HAS_TABLE)) return null;
    const grid = this.#readGrid(table);
    if (mark & HAS_TABLE && this.#containsManyTables(grid)) return null;
    const { rows, columns, caption, headerRows } = grid;
    if (rows.length === 0 || columns === 0) return null;
    if (hasHeaders || caption >= 0 || headerRows > 0) return grid;
    if (columns < 2) return null;
    // A single row without header cells is mostly an arrangement: two columns of text, or a row of buttons.
    return rows.length > 1 || looksLikeData(this.#page, table) ? grid : null;
  }

  #containsManyTables({ rows, repeats }: TableGrid): boolean {
    let [cells, withTable] = [0, 0];
    for (const [row, places] of rows.entries()) {
      for (const [column, cell] of places.entries()) {
        if (repeats[row]?.[column]) continue;
        cells++;
        if ((this.#page.marks[cell] as number) & HAS_TABLE) withTable++;
      }
    }
    return withTable * CELLS_PER_INNER_TABLE > cells;
  }

  #readGrid(table: number): TableGrid {
    const { tree, kinds, marks } = this.#page;
    const head: number[] = [];
    // A cell never reaches out of its section, whatever its rowspan says.
    const [bodies, feet]: [number[][], number[][]] = [[], []];
    let caption = -1;
    // Rows in the table itself are a section, too.
    let isLoose = false;
    for (const part of tree.children(table)) {
      if ((marks[part] as number) & HIDDEN) continue;
      const { name } = tree.nodes[part] as OutlineNode;
      if (name === 'caption' && caption < 0 && (marks[part] as number) & SHOWN) caption = part;
      else if (name === 'tr') {
        if (!isLoose) bodies.push([]);
        isLoose = true;
        bodies.at(-1)?.push(part);
      } else if (name === 'thead' || name === 'tbody' || name === 'tfoot') {
        isLoose = false;
        const section = name === 'thead' ? head : [];
        if (name !== 'thead') (name === 'tfoot' ? feet : bodies).push(section);
        for (const row of tree.children(part)) {
          if (kinds[row] === KIND.ROW && !((marks[row] as number) & HIDDEN)) section.push(row);
        }
      }
    }
    const placer = new CellPlacer(this.#page, this.#placesLeft);
    for (const section of [head, ...bodies, ...feet]) {
      for (const row of section) placer.addRow(row);
      placer.endSection();
    }
    this.#placesLeft = placer.placesLeft;
    return { ...placer.finish(head.length), caption };
  }
}

function looksLikeData({ tree }: PageNodes, table: number): boolean {
  const border = tree.attribute(table, 'border');
  return (border !== null && border !== '0') || DATA_CLASS.test(tree.attribute(table, 'class') ?? '');
}

class CellPlacer {
  placesLeft: number;
  readonly #page: PageNodes;
  readonly #rows: number[][] = [];
  readonly #repeats: number[][] = [];
  /** For each column, the cell that reaches into the next rows, and for how many rows. */
  #reaching: { cell: number; rows: number }[] = [];
  #columns = 0;
  /** Rows without content are left out, so the rows of the head are counted while they are read. */
  #headerRows = 0;
  #sections = 0;
  #areHeaders = true;

  constructor(page: PageNodes, placesLeft: number) {
    this.#page = page;
    this.placesLeft = placesLeft;
  }

  addRow(row: number): void {
    const { tree, kinds, marks } = this.#page;
    const places: number[] = [];
    const repeats: number[] = [];
    let onlyHeaders = true;
    for (const cell of tree.children(row)) {
      if (kinds[cell] !== KIND.CELL || (marks[cell] as number) & HIDDEN) continue;
      this.#placeReaching(places, repeats);
      if (places.length >= MAX_COLUMNS) break;
      if (tree.nodes[cell]?.name !== 'th') onlyHeaders = false;
      const isTight = this.placesLeft <= 0;
      const columns = isTight ? 1 : Math.min(spanOf(tree.attribute(cell, 'colspan'), 1), MAX_COLUMNS - places.length);
      const rows = isTight ? 1 : spanOf(tree.attribute(cell, 'rowspan'), Number.POSITIVE_INFINITY);
      for (let i = 0; i < columns; i++) {
        if (rows > 1) this.#reaching[places.length] = { cell, rows: rows - 1 };
        places.push(cell);
        repeats.push(i === 0 ? 0 : 1);
      }
      if ((marks[cell] as number) & SHOWN) this.#columns = Math.max(this.#columns, places.length - columns + 1);
      this.placesLeft -= columns;
    }
    this.#placeReaching(places, repeats);
    if (((marks[row] as number) & SHOWN) === 0) return;
    this.#rows.push(places);
    this.#repeats.push(repeats);
    if (this.#sections === 0) this.#headerRows++;
    else if (this.#areHeaders && onlyHeaders) this.#headerRows++;
    else this.#areHeaders = false;
  }

  endSection(): void {
    this.#sections++;
    this.#reaching = [];
  }

  /** Fills in the cells that reach down to the next place. */
  #placeReaching(places: number[], repeats: number[]): void {
    for (;;) {
      const reaching = this.#reaching[places.length];
      const hasRoom = places.length < MAX_COLUMNS && this.placesLeft > 0;
      if (reaching === undefined || reaching.rows <= 0 || !hasRoom) return;
      reaching.rows--;
      places.push(reaching.cell);
      repeats.push(1);
      this.placesLeft--;
    }
  }

  finish(headRows: number): Omit<TableGrid, 'caption'> {
    const columns = this.#columns;
    // Header rows after a head are rows of the body: only a table without a head has its headers there.
    const headerRows = headRows > 0 ? Math.min(headRows, this.#headerRows) : this.#headerRows;
    return {
      rows: this.#rows.map((places) => (places.length > columns ? places.slice(0, columns) : places)),
      repeats: this.#repeats,
      columns,
      headerRows: headerRows === this.#rows.length ? Math.min(1, headerRows) : headerRows,
    };
  }
}

function spanOf(text: string | null, ofZero: number): number {
  const span = text === null ? 1 : Number.parseInt(text, 10);
  if (span === 0) return ofZero;
  return span > 0 ? span : 1;
}
