/**
 * The text of one PDF page. In: the text items of the page, in the order in which the page draws them. Out: lines of
 * text. A word that is hyphenated at the end of a line is joined again, so that a search finds it.
 */

/** The parts of a text item of pdf.js that the text needs. */
export interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
}

const SOFT_HYPHEN = '\u00ad';
/** A letter and a hyphen at the end of a line. */
const HYPHENATED = /\p{L}[-\u00ad\u2010]$/u;
const STARTS_LOWER = /^\p{Ll}/u;

export function textOfItems(items: readonly TextItem[]): string {
  const lines: string[] = [];
  let line = '';
  const endLine = (): void => {
    const text = line.trim();
    line = '';
    if (text === '') return;
    const before = lines.at(-1);
    if (before !== undefined && HYPHENATED.test(before.slice(-3)) && STARTS_LOWER.test(text)) {
      // Only the first word moves up, so that the lines keep their length.
      const space = text.indexOf(' ');
      lines[lines.length - 1] = before.slice(0, -1) + (space < 0 ? text : text.slice(0, space));
      if (space > 0) lines.push(text.slice(space + 1).trimStart());
    } else {
      lines.push(text);
    }
  };
  for (const item of items) {
    line += item.str;
    if (item.hasEOL) endLine();
  }
  endLine();
  return lines.join('\n').replaceAll(SOFT_HYPHEN, '');
}
