import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTables } from '../../../src/content/tables/read-tables.ts';
import { tableToCsv } from '../../../src/content/tables/table-csv.ts';
import { treeOf } from '../markdown/written-page.ts';

const tablesOf = (html: string) => readTables(treeOf(html), null);

test('spans are expanded, so each row is complete', () => {
  const html =
    '<table><caption>Prices</caption><thead><tr><th rowspan="2">a<th colspan="2">b<tr><th>c<th>d</thead>' +
    '<tfoot><tr><td>last<td>1<td>2</tfoot><tbody><tr><td rowspan="0">e<td>f<td>g<br>h<tr><td>i<td>j</tbody></table>';
  assert.deepEqual(tablesOf(html), [
    {
      caption: 'Prices',
      headerRows: 2,
      rows: [
        ['a', 'b', 'b'],
        ['a', 'c', 'd'],
        ['e', 'f', 'g\nh'],
        ['e', 'i', 'j'],
        ['last', '1', '2'],
      ],
    },
  ]);
});

test('a first row of header cells is the header, and hidden cells are left out', () => {
  const [table] = tablesOf('<table><tr><th>a<th hidden>x<th>b<tr><th>c<td hidden>x<td>d</table>');
  assert.deepEqual(table, {
    caption: '',
    headerRows: 1,
    rows: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  });
});

test('the inner table of a layout table is read', () => {
  const inner = '<table><tr><td>1<td>2<tr><td>3<td>4</table>';
  const tables = tablesOf(`<table><tr><td>menu<td>${inner}</table>`);
  assert.deepEqual(
    tables.map(({ rows }) => rows),
    [
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
  );
});

test('CSV quotes what needs it and guards formulas', () => {
  const [table] = tablesOf('<table><tr><th>a, b<th>=1+1<tr><td>say "x"<td>y<br>z</table>');
  assert.equal(tableToCsv(table!), '"a, b",\'=1+1\r\n"say ""x""","y\nz"\r\n');
});
