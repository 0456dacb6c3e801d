/** GitHub-flavoured Markdown. */
import type { PageLinks } from '../elements/page-links.ts';
import type { TableGrid } from '../elements/table-grid.ts';
import { codeFence, escapeLineStart, escapeText, linkTarget, linkTitle } from './escape.ts';
import { TOKEN, type Token } from './inline-text.ts';
import type { OutputForm, WrittenImage } from './output-form.ts';
import { CELL_BREAK, escapeLines, MARKDOWN_BREAK, NO_BREAK, renderMarkdown } from './render-inline.ts';

const ALIGNMENTS: ReadonlyMap<string, string> = new Map([
  ['left', ':---'],
  ['center', ':---:'],
  ['right', '---:'],
]);
/** Sites that load an image late write its address here. */
const LATE_SOURCES = ['data-src', 'data-original', 'data-lazy-src'] as const;
const MAX_ALT_CHARS = 2_000;

export class MarkdownForm implements OutputForm {
  readonly rule = '***';
  // Between empty lines, Markdown is read as Markdown also inside of these elements.
  readonly detailsStart = '<details>';
  readonly summaryStart = '<summary>';
  readonly summaryEnd = '</summary>';
  readonly detailsEnd = '</details>';
  readonly #links: PageLinks;
  readonly #linkOf: (url: string) => string | null | undefined;

  constructor(links: PageLinks, linkOf: (url: string) => string | null | undefined) {
    this.#links = links;
    this.#linkOf = linkOf;
  }

  paragraph(tokens: readonly Token[]): string {
    const text = renderMarkdown(tokens, MARKDOWN_BREAK);
    // The box of a task list stands there on purpose.
    const isTask = tokens[0]?.kind === TOKEN.ATOM && /^\[[ x]\]/.test(tokens[0].text);
    return isTask ? text : escapeLines(text);
  }

  heading(tokens: readonly Token[], level: number): string {
    const text = renderMarkdown(tokens, NO_BREAK);
    // A heading may be closed with the same sign.
    return `${'#'.repeat(level)} ${text.endsWith('#') && /(?:^|\s)#+$/.test(text) ? `${text.slice(0, -1)}\\#` : text}`;
  }

  cell(tokens: readonly Token[]): string {
    const text = renderMarkdown(tokens, CELL_BREAK);
    return text.includes('|') ? text.replaceAll('|', '\\|') : text;
  }

  caption(text: string): string {
    return escapeLineStart(text.replaceAll('\\|', '|'));
  }

  codeBlock(code: string, language: string): string {
    const fence = codeFence(code);
    return `${fence}${language}\n${code}\n${fence}`;
  }

  table(rows: readonly (readonly string[])[], grid: TableGrid, alignOf: (cell: number) => string | null): string {
    const { columns, headerRows } = grid;
    // Markdown demands a header row. A table without one gets an empty one.
    const header = headerRows > 0 ? (rows[0] as readonly string[]) : [];
    const aligned = grid.rows[0] ?? [];
    const dashes = Array.from({ length: columns }, (_, i) => {
      const cell = aligned[i];
      return ALIGNMENTS.get((cell === undefined ? null : alignOf(cell))?.toLowerCase() ?? '') ?? '---';
    });
    const padded = Array.from({ length: columns }, (_, i) => header[i] ?? '');
    const lines = [padded, dashes, ...rows.slice(headerRows > 0 ? 1 : 0)];
    return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  }

  formula(tex: string): string {
    return `$${tex}$`;
  }

  formulaBlock(tex: string): string {
    return `$$\n${tex}\n$$`;
  }

  reference(label: string): string {
    return `[^${label}]`;
  }

  notePrefixes(label: string): [first: string, rest: string] {
    return [`[^${label}]: `, '    '];
  }

  linkTarget(href: string): string | null {
    const url = this.#links.resolve(href);
    return url === null ? null : (this.#linkOf(url) ?? url);
  }

  image(attribute: (name: string) => string | null): WrittenImage {
    const alt = (attribute('alt') ?? '').slice(0, MAX_ALT_CHARS).replace(/\s+/g, ' ').trim();
    const source = this.#sourceOf(attribute);
    if (source === null || isEmoji(alt, attribute('class'))) return { text: alt, isText: true };
    const url = this.#linkOf(source) ?? source;
    const title = linkTitle((attribute('title') ?? '').slice(0, MAX_ALT_CHARS));
    return { text: `![${escapeText(alt, '', ' ', true)}](${linkTarget(url)}${title})`, isText: false };
  }

  #sourceOf(attribute: (name: string) => string | null): string | null {
    const src = attribute('src');
    const isPlaceholder = src === null || src === '' || src.startsWith('data:');
    const late = isPlaceholder ? LATE_SOURCES.map(attribute).find((value) => value) : src;
    const first = late ?? attribute('srcset')?.slice(0, 2_000).trim().split(/[\s,]/, 1)[0];
    return first ? this.#links.resolve(first) : null;
  }
}

function isEmoji(alt: string, names: string | null): boolean {
  return names !== null && /(?:^|\s)emoji(?:\s|$)/.test(names) && alt !== '';
}
