/**
 * Reads the Markdown that Orbweaver writes: headings, paragraphs, lists, tables, code and quotations. In: text. Out:
 * blocks as data. What it does not know stays text, so nothing is lost and nothing is executed.
 */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'rule' };

/** Deeper lists and quotations stay text. */
const MAX_DEPTH = 12;
const ITEM = /^(\s{0,3})([-*+]|\d{1,9}[.)])(\s+|$)/;

export function readBlocks(text: string, depth = 0): readonly Block[] {
  return readLines(text.replaceAll('\r\n', '\n').split('\n'), depth);
}

function readLines(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const heading = /^(#{1,6})\s(.*)$/.exec(line);
    if (line.trim() === '') at++;
    else if (fence !== undefined) {
      let end = at + 1;
      while (end < lines.length && !lines[end]!.trimStart().startsWith(fence)) end++;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') });
      at = end + 1;
    } else if (heading !== null) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]!.trim() });
      at++;
    } else if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) {
      blocks.push({ kind: 'rule' });
      at++;
    } else if (line.startsWith('>') && depth < MAX_DEPTH) {
      let end = at;
      while (end < lines.length && lines[end]!.startsWith('>')) end++;
      const inner = lines.slice(at, end).map((each) => each.replace(/^> ?/, ''));
      blocks.push({ kind: 'quote', blocks: readLines(inner, depth + 1) });
      at = end;
    } else if (ITEM.test(line) && depth < MAX_DEPTH) {
      const end = endOfList(lines, at);
      blocks.push(readList(lines.slice(at, end), depth));
      at = end;
    } else if (isTable(lines, at)) {
      let end = at;
      while (end < lines.length && lines[end]!.trimStart().startsWith('|')) end++;
      const rows = [lines[at]!, ...lines.slice(at + 2, end)].map(cellsOf);
      blocks.push({ kind: 'table', rows });
      at = end;
    } else {
      let end = at + 1;
      while (end < lines.length && !isStart(lines, end)) end++;
      blocks.push({ kind: 'paragraph', text: lines.slice(at, end).join('\n') });
      at = end;
    }
  }
  return blocks;
}

function isStart(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  return (
    line.trim() === '' || /^(?:#{1,6}\s|>| {0,3}(?:`{3}|~{3}))/.test(line) || ITEM.test(line) || isTable(lines, at)
  );
}

function isTable(lines: readonly string[], at: number): boolean {
  const below = (lines[at + 1] ?? '').trimStart();
  return lines[at]!.trimStart().startsWith('|') && below.startsWith('|') && /^[\s:|-]+$/.test(below);
}

/** A list ends at a line that is neither an item nor indented, after an empty line. */
function endOfList(lines: readonly string[], from: number): number {
  let end = from + 1;
  for (; end < lines.length; end++) {
    const line = lines[end]!;
    if (line.trim() === '') {
      const next = lines[end + 1];
      if (next === undefined || !(isItemOf(lines[from]!, next) || /^\s{2,}\S/.test(next))) break;
    } else if (!isItemOf(lines[from]!, line) && !/^\s/.test(line) && isStart(lines, end)) break;
  }
  return end;
}

/** A list with numbers does not continue one with bullets. */
function isItemOf(first: string, line: string): boolean {
  return ITEM.test(line) && /^\s*\d/.test(first) === /^\s*\d/.test(line);
}

function readList(lines: readonly string[], depth: number): Block {
  const first = ITEM.exec(lines[0]!)!;
  const items: string[][] = [];
  let width = 0;
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item !== null && item[1]!.length <= first[1]!.length + 1) {
      width = item[0].length;
      items.push([line.slice(width)]);
    } else {
      const indent = line.length - line.trimStart().length;
      items.at(-1)!.push(line.slice(Math.min(indent, width)));
    }
  }
  return { kind: 'list', isOrdered: /\d/.test(first[2]!), items: items.map((inner) => readLines(inner, depth + 1)) };
}

/** Cells are divided by bars; a bar with a backslash belongs to the text. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  const cells: string[] = [];
  let cell = '';
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === '\\' && inner[at + 1] === '|') {
      cell += '|';
      at++;
    } else if (inner[at] === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += inner[at];
  }
  return [...cells, cell.trim()];
}
