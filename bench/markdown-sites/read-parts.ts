/**
 * Reads the parts of a page that Markdown must keep, from the tree that parse5 builds. In: a page, as it was sent or as
 * it was rendered from Markdown. Out: its headings, links, code blocks and table cells.
 *
 * Nothing here is shared with the writer of Markdown. Which tables are data follows the standard of HTML (section
 * "The table element"): a caption, header cells, a head, `headers`, `scope` or a border say that a table is data, and
 * `role=presentation` that it is not. All other tables count as undecided.
 */
import { parse } from 'parse5';
import { attributeOf, type Element } from '../template-sites/selectors.ts';

export interface Cell {
  readonly text: string;
  readonly isData: boolean;
}

export interface PageParts {
  /** The level and the text. */
  readonly headings: readonly string[];
  /** The absolute target and the text. */
  readonly links: readonly string[];
  /** Links in code blocks. */
  readonly codeLinks: number;
  /** Links to a mark of the same page whose text is a sign or a number, and the footnotes of the renderer. */
  readonly noteLinks: number;
  readonly codeBlocks: readonly string[];
  readonly cells: readonly Cell[];
  /** The rows of data tables without spans. */
  readonly grids: readonly string[];
  /** All text, without white space between its words. */
  readonly text: string;
}

const NEVER_SHOWN = new Set([
  ...['head', 'script', 'style', 'template', 'noscript', 'iframe', 'object', 'select', 'textarea', 'button', 'svg'],
  ...['audio', 'video', 'canvas', 'dialog', 'datalist'],
]);
/** Elements that do not begin a new line. */
const WITHIN_LINES = new Set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i img ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const HEADING = /^h[1-6]$/;
const NOTE_TEXT = /^[[(]?(?:\d{1,3}(?::\d+)?|[a-z]|[*†‡§↩^]\ufe0e?)[\])]?$/iu;
const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;
/** Signs that link a heading to itself. */
const PERMALINK = /^[¶#§🔗]?$/u;

export function readParts(html: string, url: string): PageParts {
  const reader = new PartReader(url);
  const document = parse(html, { scriptingEnabled: false });
  for (const child of document.childNodes) if ('tagName' in child) reader.read(child, { table: null, isCode: false });
  return reader.parts();
}

interface Place {
  readonly table: Element | null;
  readonly isCode: boolean;
}

class PartReader {
  readonly #base: URL;
  readonly #headings: string[] = [];
  readonly #links: string[] = [];
  readonly #codeBlocks: string[] = [];
  readonly #cells: Cell[] = [];
  readonly #grids: string[] = [];
  #codeLinks = 0;
  #noteLinks = 0;
  #text = '';

  constructor(url: string) {
    this.#base = new URL(url);
  }

  read(element: Element, place: Place): void {
    if (!isShown(element)) return;
    const { tagName } = element;
    let { table, isCode } = place;
    if (HEADING.test(tagName)) this.#add(this.#headings, tagName, element);
    else if (tagName === 'a') this.#readLink(element, isCode);
    else if (tagName === 'pre' && !isCode) {
      isCode = true;
      const code = linesOf(element);
      if (code.trim() !== '') this.#codeBlocks.push(code);
    } else if (tagName === 'table') {
      table = element;
      if (isData(element)) this.#readGrid(element);
    } else if ((tagName === 'td' || tagName === 'th') && table !== null) {
      const text = textOf(element, true);
      if (text !== '') this.#cells.push({ text, isData: isData(table) });
    }
    for (const child of element.childNodes) {
      if ('tagName' in child) this.read(child, { table, isCode });
      else if (child.nodeName === '#text' && 'value' in child) this.#text += child.value.replace(/\s+/g, '');
    }
  }

  parts(): PageParts {
    const [headings, links, codeBlocks, cells] = [this.#headings, this.#links, this.#codeBlocks, this.#cells];
    const counts = { codeLinks: this.#codeLinks, noteLinks: this.#noteLinks };
    return { headings, links, ...counts, codeBlocks, cells, grids: this.#grids, text: this.#text };
  }

  #add(list: string[], kind: string, element: Element): void {
    const text = textOf(element, false);
    if (text !== '') list.push(`${kind} ${text}`);
  }

  #readLink(element: Element, isCode: boolean): void {
    const href = attributeOf(element, 'href');
    const text = textOf(element, false);
    // A link without text is an image or nothing, and a permalink is a sign for authors.
    if (href === undefined || PERMALINK.test(text)) return;
    const target = URL.parse(href, this.#base.href);
    if (target === null || !/^https?:$/.test(target.protocol)) return;
    const isHere = target.hash !== '' && target.href.startsWith(`${this.#base.href.replace(/#.*/s, '')}#`);
    if (isCode) this.#codeLinks++;
    else if (isHere && NOTE_TEXT.test(text)) this.#noteLinks++;
    else this.#links.push(`${target.href} ${text}`);
  }

  #readGrid(table: Element): void {
    const rows: string[] = [];
    for (const row of rowsOf(table)) {
      const cells = row.childNodes.filter((child): child is Element => 'tagName' in child && isShown(child));
      if (cells.some((cell) => ['colspan', 'rowspan'].some((name) => attributeOf(cell, name) !== undefined))) return;
      const texts = cells.map((cell) => textOf(cell, true));
      // The columns at the end that are empty in all rows mean nothing.
      const line = texts.join('|').replace(/\|+$/, '');
      if (line !== '') rows.push(line);
    }
    if (rows.length > 0) this.#grids.push(rows.join('\n'));
  }
}

function isShown(element: Element): boolean {
  if (NEVER_SHOWN.has(element.tagName) || attributeOf(element, 'hidden') !== undefined) return false;
  if (attributeOf(element, 'aria-hidden') === 'true') return false;
  return !HIDDEN_STYLE.test(attributeOf(element, 'style') ?? '');
}

/** The words of an element. The text of a cell ends where a table in it begins. */
function textOf(element: Element, stopsAtTable: boolean): string {
  return rawText(element, stopsAtTable).replace(/\s+/g, ' ').trim();
}

function rawText(element: Element, stopsAtTable: boolean): string {
  let text = '';
  for (const child of element.childNodes) {
    if ('tagName' in child) {
      if (!isShown(child) || (stopsAtTable && child.tagName === 'table')) continue;
      const inner = isPermalink(child) ? '' : rawText(child, stopsAtTable);
      text += WITHIN_LINES.has(child.tagName) ? inner : ` ${inner} `;
    } else if (child.nodeName === '#text' && 'value' in child) text += child.value;
  }
  return text;
}

function isPermalink(element: Element): boolean {
  return element.tagName === 'a' && attributeOf(element, 'href')?.startsWith('#') === true && isSign(element);
}

function isSign(element: Element): boolean {
  const text = textOf(element, false);
  return text !== '' && PERMALINK.test(text);
}

/** The text of a code block with its lines, without white space at their ends. */
function linesOf(element: Element): string {
  let text = '';
  const collect = (from: Element): void => {
    for (const child of from.childNodes) {
      if ('tagName' in child) {
        if (child.tagName === 'br') text += '\n';
        else if (isShown(child)) collect(child);
      } else if (child.nodeName === '#text' && 'value' in child) text += child.value;
    }
  };
  collect(element);
  return text
    .replace(/\s+$/gm, '')
    .replace(/^\n+|\n+$/g, '')
    .replaceAll('\u00a0', ' ');
}

function isData(table: Element): boolean {
  const role = attributeOf(table, 'role');
  if (role === 'presentation' || role === 'none') return false;
  const border = attributeOf(table, 'border');
  if (border !== undefined && border !== '0') return true;
  return hasSign(table);
}

function hasSign(element: Element): boolean {
  return element.childNodes.some((child) => {
    if (!('tagName' in child) || child.tagName === 'table') return false;
    if (['caption', 'thead', 'th'].includes(child.tagName)) return true;
    if (attributeOf(child, 'headers') !== undefined || attributeOf(child, 'scope') !== undefined) return true;
    return ['tbody', 'tfoot', 'tr'].includes(child.tagName) && hasSign(child);
  });
}

function rowsOf(table: Element): Element[] {
  return table.childNodes.flatMap((child) => {
    if (!('tagName' in child)) return [];
    if (child.tagName === 'tr') return [child];
    return ['thead', 'tbody', 'tfoot'].includes(child.tagName) ? rowsOf(child) : [];
  });
}
