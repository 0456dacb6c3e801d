/** One cell of a CSV file, for the export of rows and for the tables of pages. */

/**
 * Spreadsheets compute cells that begin with one of these signs, and anybody can write a title.
 * Spreadsheets also accept the full-width, small and raised forms of the signs, and some skip white space
 * and invisible characters before a sign.
 */
const FORMULA_START =
  /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207a-\u207c\u208a-\u208c])/u;

export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const guarded = FORMULA_START.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
