/**
 * Data tables as a form of export: a CSV file for each table of the main content of a page. The tables of a page are in
 * a folder of their own, by their number on the page. `index.csv` says which file is which table of which page.
 */
import { dirname } from 'node:path';
import type { PageTable } from '../../content/tables/read-tables.ts';
import { tableToCsv } from '../../content/tables/table-csv.ts';
import { csvCell } from '../../core/text/csv-cell.ts';
import type { ContentReader } from '../content-reader.ts';
import type { FileForm, FilePart, ResponseToRender } from '../files/file-form.ts';
import { INDEX_TABLE } from '../files/file-names.ts';
import { rewriteAs, TABLES_TYPE } from '../files/media-types.ts';

const INDEX_FIELDS = 'file,url,number,heading,caption,headerRows,rows,columns,complete,fetchedAt';
/** A heading stands in the line of each table below it, so a long one would fill the index. */
const MAX_INDEX_TEXT = 300;

export function tablesForm(reader: ContentReader): FileForm {
  return {
    name: 'tables',
    fileType: (mediaType) => (['html', 'xhtml'].includes(rewriteAs(mediaType)) ? TABLES_TYPE : null),
    isPage: () => true,
    index: () => null,
    parts: { ownerOf: dirname, index: INDEX_TABLE, indexHead: INDEX_FIELDS },
    render: async (response, { counts }) => {
      const { url, body, contentType } = response;
      const content = await reader.read({ url, body, contentType });
      if ('reason' in content || content.page === null) return [];
      const { tables, leftOut } = content.page.tables();
      // A page that was cut off may end within its last table, or before a further one.
      const isCut = content.isPartial;
      const parts = tables.map((table, i) => {
        const isComplete = table.isComplete && !(isCut && i === tables.length - 1);
        if (!isComplete) counts.leftOut++;
        return partOf(table, i + 1, isComplete, response);
      });
      counts.leftOut += leftOut + (isCut && tables.length === 0 ? 1 : 0);
      return parts;
    },
    unreadable: () => [],
  };
}

function partOf(table: PageTable, number: number, isComplete: boolean, response: ResponseToRender): FilePart {
  const { caption, heading, headerRows, rows } = table;
  const path = `${response.path}/${number}.csv`;
  const cells = [
    ...[path, response.url, number, heading.slice(0, MAX_INDEX_TEXT), caption.slice(0, MAX_INDEX_TEXT)],
    ...[headerRows, rows.length, rows[0]?.length ?? 0, isComplete ? 'yes' : 'no'],
    new Date(response.capture.fetchedAtMs).toISOString(),
  ];
  return { path, bytes: Buffer.from(tableToCsv(table)), line: cells.map(csvCell).join(',') };
}
