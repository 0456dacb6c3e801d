/** Writes a table as CSV (RFC 4180): lines end with CRLF, and cells that a spreadsheet would compute are guarded. */
import { csvCell } from '../../core/text/csv-cell.ts';
import type { PageTable } from './read-tables.ts';

export function tableToCsv({ rows }: PageTable): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
