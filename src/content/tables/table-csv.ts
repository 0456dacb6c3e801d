/** Writes a table as CSV (RFC 4180): lines end with CRLF, and cells that a spreadsheet would compute are guarded. */
import { csvCell } from '../../core/text/csv-cell.ts';
import type { PageTable } from './read-tables.ts';

/** A number with a sign computes nothing, and a program that reads the table needs it as a number. */
const SIGNED_NUMBER = /^[+-][0-9.]{1,40}%?$/;

export function tableToCsv({ rows }: PageTable): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(text: string): string {
  return SIGNED_NUMBER.test(text) ? text : csvCell(text);
}
