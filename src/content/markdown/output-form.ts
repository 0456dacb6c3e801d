/** The two forms in which a page is written. page-writer.ts decides what is written, a form decides how. */
import type { TableGrid } from '../elements/table-grid.ts';
import type { Token } from './inline-text.ts';

export interface WrittenImage {
  readonly text: string;
  /** True if only words remain of the image. They are escaped like all text. */
  readonly isText: boolean;
}

export interface OutputForm {
  /** Written for `<hr>`. '' if nothing is written, as for the other texts. */
  readonly rule: string;
  readonly detailsStart: string;
  readonly summaryStart: string;
  readonly summaryEnd: string;
  readonly detailsEnd: string;
  paragraph(tokens: readonly Token[]): string;
  heading(tokens: readonly Token[], level: number): string;
  cell(tokens: readonly Token[]): string;
  caption(text: string): string;
  codeBlock(code: string, language: string): string;
  /** `alignOf` gives the alignment of a cell, or null. */
  table(rows: readonly (readonly string[])[], grid: TableGrid, alignOf: (cell: number) => string | null): string;
  formula(tex: string): string;
  formulaBlock(tex: string): string;
  reference(label: string): string;
  notePrefixes(label: string): [first: string, rest: string];
  /** The target to write for an `href`, or null if the text of the link is written alone. */
  linkTarget(href: string): string | null;
  image(attribute: (name: string) => string | null): WrittenImage;
}
