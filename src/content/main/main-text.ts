/**
 * Writes nodes as plain text: one line for each block, with its white space folded. Preformatted text keeps its white
 * space, and the cells of a table row stand on one line.
 */
import type { PageTree } from '../page-tree.ts';
import { BLOCK, CELL, LINE_BREAK, PREFORMATTED } from './element-traits.ts';
import type { PageMeasures } from './measure-page.ts';

/** Joins the texts of nodes to lines. Reports each line with the block that it belongs to. */
export class LineWriter {
  readonly #tree: PageTree;
  readonly #page: PageMeasures;
  readonly #onLine: (line: string, owner: number) => void;
  #line = '';
  #owner = -1;

  constructor(tree: PageTree, page: PageMeasures, onLine: (line: string, owner: number) => void) {
    this.#tree = tree;
    this.#page = page;
    this.#onLine = onLine;
  }

  add(at: number): void {
    const { kind, text } = this.#tree.nodes[at] as PageTree['nodes'][number];
    if (kind === 'element') {
      const bits = this.#page.traits[at] as number;
      if (bits & (BLOCK | LINE_BREAK)) this.end();
      return;
    }
    if (kind !== 'text' || this.#page.skipped[at] === 1) return;
    const owner = this.#page.owner[at] as number;
    if (owner !== this.#owner) this.end();
    this.#owner = owner;
    this.#line += text;
  }

  end(): void {
    if (this.#line === '') return;
    const isPreformatted = this.#owner >= 0 && (this.#page.traits[this.#owner] as number) & PREFORMATTED;
    const line = isPreformatted ? this.#line.trimEnd() : foldSpace(this.#line);
    this.#line = '';
    if (line !== '') this.#onLine(line, this.#owner);
  }
}

/** Long lines are folded in parts of this length, because a replacement needs many times the memory of its text. */
const PART_CHARS = 65_536;

/** Most lines have single spaces only, and testing that is faster than writing the line anew. */
function foldSpace(line: string): string {
  if (!/[^\S ]| {2}/.test(line)) return line.trim();
  if (line.length <= PART_CHARS) return line.replace(/\s+/g, ' ').trim();
  let folded = '';
  for (let at = 0; at < line.length; at += PART_CHARS) {
    const part = line.slice(at, at + PART_CHARS).replace(/\s+/g, ' ');
    folded += folded.endsWith(' ') && part.startsWith(' ') ? part.slice(1) : part;
  }
  return folded.trim();
}

/** The text of the kept nodes. The nodes from `without` to `withoutEnd` are left out. */
export function writeMainText(
  tree: PageTree,
  page: PageMeasures,
  kept: Uint8Array,
  without: number,
  withoutEnd: number,
): string {
  const lines: string[] = [];
  let lastRow = -1;
  const writer = new LineWriter(tree, page, (line, owner) => {
    const isCell = owner >= 0 && (page.traits[owner] as number) & CELL;
    const row = isCell ? (tree.nodes[owner]?.parent ?? -1) : -1;
    if (row >= 0 && row === lastRow) lines[lines.length - 1] += ` ${line}`;
    else lines.push(line);
    lastRow = row;
  });
  for (let at = 0; at < kept.length; at++) {
    if (at === without) at = withoutEnd;
    if (kept[at] === 1) writer.add(at);
  }
  writer.end();
  return lines.join('\n');
}
