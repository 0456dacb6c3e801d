/** Plain text: the same blocks without markup. Items keep their signs, quotes their `>`. */
import type { TableGrid } from '../elements/table-grid.ts';
import type { Token } from './inline-text.ts';
import type { OutputForm, WrittenImage } from './output-form.ts';
import { renderText } from './render-inline.ts';

export class TextForm implements OutputForm {
  readonly rule = '';
  readonly detailsStart = '';
  readonly summaryStart = '';
  readonly summaryEnd = '';
  readonly detailsEnd = '';
  readonly #cellBreak: string;

  /** In a table that is one of several blocks, a cell has one line. */
  constructor(cellBreak: string) {
    this.#cellBreak = cellBreak;
  }

  paragraph(tokens: readonly Token[]): string {
    return renderText(tokens, '\n');
  }

  heading(tokens: readonly Token[]): string {
    return renderText(tokens, ' ');
  }

  cell(tokens: readonly Token[]): string {
    return renderText(tokens, this.#cellBreak);
  }

  caption(text: string): string {
    return text;
  }

  codeBlock(code: string): string {
    return code;
  }

  table(rows: readonly (readonly string[])[], _grid: TableGrid): string {
    return rows.map((cells) => cells.join('\t').trimEnd()).join('\n');
  }

  formula(tex: string): string {
    return tex;
  }

  formulaBlock(tex: string): string {
    return tex;
  }

  reference(label: string): string {
    return `[${label}]`;
  }

  notePrefixes(label: string): [first: string, rest: string] {
    return [`[${label}] `, '    '];
  }

  linkTarget(): null {
    return null;
  }

  image(attribute: (name: string) => string | null): WrittenImage {
    return { text: attribute('alt') ?? '', isText: true };
  }
}
