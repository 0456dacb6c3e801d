/**
 * Puts the blocks of a page into reading order. In: blocks. Out: the blocks in order. Two rules decide (Breuel 2003,
 * also in pdftotext): of two blocks in one column, the upper one is first; of two blocks side by side, the left one is
 * first, unless a block above the left one and below the right one spans both. The cells of a table are read row by
 * row.
 *
 * What always holds: the work is limited; a page that needs more is read from top to bottom.
 */
import type { Block } from './page-blocks.ts';

/** A block, and the area in which it is compared: for a cell, the whole table. */
interface Placed {
  readonly block: Block;
  area: Readonly<Area>;
  table: number;
  isDone: boolean;
}

type Area = Pick<Block, 'left' | 'right' | 'top' | 'bottom'>;

/** Cells are aligned if their edges differ by at most this many points. */
const ALIGNED = 3;
const MAX_STEPS = 2_000_000;
const MAX_BLOCKS = 700;

export function orderBlocks(blocks: readonly Block[]): Block[] {
  const byPlace = blocks.toSorted((a, b) => a.left - b.left || a.top - b.top);
  const placed = byPlace.map((block): Placed => ({ block, area: block, table: -1, isDone: false }));
  const ordered = placed.length > MAX_BLOCKS ? null : byRules(placed);
  return ordered ?? blocks.toSorted((a, b) => a.top - b.top || a.left - b.left);
}

function byRules(placed: readonly Placed[]): Block[] | null {
  findTables(placed);
  for (const one of placed) if (one.table < 0) one.area = widened(one.block, placed);
  const ordered: Block[] = [];
  let steps = 0;
  const isSpanned = (left: Placed, right: Placed): boolean => {
    steps += placed.length;
    return placed.some((other) => other !== left && other !== right && isAbove(right, other) && isAbove(other, left));
  };
  const isBefore = (one: Placed, other: Placed): boolean => {
    if (one.table >= 0 && one.table === other.table) return isEarlierCell(one.block, other.block);
    return isAbove(one, other) || (one.area.right < other.area.left && !isSpanned(one, other));
  };
  const visit = (other: Placed): void => {
    other.isDone = true;
    steps += placed.length;
    for (const one of placed) if (!one.isDone && steps <= MAX_STEPS && isBefore(one, other)) visit(one);
    ordered.push(other.block);
  };
  for (const one of placed) if (!one.isDone) visit(one);
  return steps > MAX_STEPS ? null : ordered;
}

/** Returns true if a block is above another block of the same column. */
function isAbove({ area: one }: Placed, { area: other }: Placed): boolean {
  return one.left <= other.right && other.left <= one.right && one.top < other.top;
}

function isEarlierCell(one: Block, other: Block): boolean {
  if (one.bottom <= other.top) return true;
  return one.right <= other.left && one.top <= other.bottom && one.bottom >= other.top;
}

/**
 * Four cells that are aligned in two rows and two columns are a table, or belong to the table of one of them. No other
 * block stands between them. Otherwise two tables with a paragraph between them would be one.
 */
function findTables(placed: readonly Placed[]): void {
  let tables = 0;
  for (const one of placed) {
    const right = cellRightOf(one, placed);
    const below = right && cellBelow(one, placed);
    const corner = below && cellRightOf(below, placed);
    if (right === null || below === null || corner === null || corner !== cellBelow(right, placed)) continue;
    const cells = [one, right, below, corner];
    const table = tables++;
    const joined = new Set(cells.map((cell) => cell.table).filter((known) => known >= 0));
    if (joined.size > 0) for (const cell of placed) if (joined.has(cell.table)) cell.table = table;
    for (const cell of cells) cell.table = table;
  }
  for (const cells of Map.groupBy(placed, ({ table }) => table).values()) {
    if (cells[0]!.table < 0) continue;
    for (const part of dividedTable(cells, placed)) {
      const area = areaOf(part.map(({ block }) => block));
      const table = tables++;
      for (const cell of part) [cell.area, cell.table] = [area, table];
    }
  }
}

/** A paragraph between two rows divides a table, although it may be shorter than the first column. */
function dividedTable(cells: readonly Placed[], placed: readonly Placed[]): Placed[][] {
  const { left, right, top, bottom } = areaOf(cells.map(({ block }) => block));
  const between = placed.filter(
    ({ block, table }) =>
      table !== cells[0]!.table &&
      block.top > top &&
      block.bottom < bottom &&
      block.left <= right &&
      block.right >= left &&
      !cells.some((cell) => cell.block.top < block.bottom && cell.block.bottom > block.top),
  );
  return [...Map.groupBy(cells, (cell) => between.filter(({ block }) => block.top < cell.block.top).length).values()];
}

/**
 * A title spans the columns below it, although it is shorter: a block is widened by the blocks below it, as far as no
 * block stands beside it.
 */
function widened(block: Block, placed: readonly Placed[]): Area {
  let [leftEnd, rightEnd] = [-Infinity, Infinity];
  for (const { block: other } of placed) {
    if (other.top > block.bottom || other.bottom < block.top) continue;
    if (other.left > block.right) rightEnd = Math.min(rightEnd, other.left);
    if (other.right < block.left) leftEnd = Math.max(leftEnd, other.right);
  }
  const { top, bottom } = block;
  let { left, right } = block;
  for (const { block: other } of placed) {
    if (other.top < bottom) continue;
    if (other.left >= leftEnd) left = Math.min(left, other.left);
    if (other.right <= rightEnd) right = Math.max(right, other.right);
  }
  return { left, right, top, bottom };
}

function areaOf(blocks: readonly Area[]): Area {
  const area = { ...blocks[0]! };
  for (const { left, right, top, bottom } of blocks) {
    area.left = Math.min(area.left, left);
    area.right = Math.max(area.right, right);
    area.top = Math.min(area.top, top);
    area.bottom = Math.max(area.bottom, bottom);
  }
  return area;
}

/** The next block on the right, if it begins or ends at the same height. */
function cellRightOf({ block: left }: Placed, placed: readonly Placed[]): Placed | null {
  const next = nearest(placed, ({ block: right }) =>
    right.top <= left.bottom && right.bottom >= left.top ? right.left - left.right : -1,
  );
  return next && (isNear(left.top, next.block.top) || isNear(left.bottom, next.block.bottom)) ? next : null;
}

/** The next block below, if it begins or ends at the same column. */
function cellBelow({ block: upper }: Placed, placed: readonly Placed[]): Placed | null {
  const next = nearest(placed, ({ block: lower }) =>
    lower.left <= upper.right && lower.right >= upper.left ? lower.top - upper.bottom : -1,
  );
  return next && (isNear(upper.left, next.block.left) || isNear(upper.right, next.block.right)) ? next : null;
}

/** The block with the smallest distance that is not negative. */
function nearest(placed: readonly Placed[], distance: (other: Placed) => number): Placed | null {
  let best: Placed | null = null;
  let least = Infinity;
  for (const other of placed) {
    const far = distance(other);
    if (far < 0 || far >= least) continue;
    [best, least] = [other, far];
  }
  return best;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= ALIGNED;
}
