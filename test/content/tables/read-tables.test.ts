import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTables } from '../../../src/content/tables/read-tables.ts';
import { tableToCsv } from '../../../src/content/tables/table-csv.ts';
import { treeOf } from '../markdown/written-page.ts';

const tablesOf = (html: string) => readTables(treeOf(html), null).tables;

test('spans are expanded, so each row is complete', () => {
  const html =
    '<table><caption>Prices</caption><thead><tr><th rowspan="2">a<th colspan="2">b<tr><th>c<th>d</thead>' +
    '<tfoot><tr><td>last<td>1<td>2</tfoot><tbody><tr><td rowspan="0">e<td>f<td>g<br>h<tr><td>i<td>j</tbody></table>';
  assert.deepEqual(tablesOf(html), [
    {
      caption: 'Prices',
      heading: '',
      headerRows: 2,
      rows: [
        ['a', 'b', 'b'],
        ['a', 'c', 'd'],
        ['e', 'f', 'g\nh'],
        ['e', 'i', 'j'],
        ['last', '1', '2'],
      ],
      isComplete: true,
    },
  ]);
});

test('a cell does not reach out of its section, whatever its rowspan says', () => {
  const sections = ['a', 'b'].map((name) => `<tbody><tr><td rowspan=99>${name}<td>1<tr><td>2</tbody>`).join('');
  const [table] = tablesOf(`<table>${sections}<tr><td>c<td>3</table>`);
  assert.deepEqual(table?.rows, [
    ['a', '1'],
    ['a', '2'],
    ['b', '1'],
    ['b', '2'],
    ['c', '3'],
  ]);
});

test('a box with one row about the page is no data', () => {
  const row = '<tr><td>!<td>This section is a stub.';
  assert.equal(tablesOf(`<table class="fmbox metadata">${row}</table>`).length, 0);
  assert.equal(tablesOf(`<table class="my-data">${row}</table>`).length, 1);
});

test('a first row of header cells is the header, and hidden cells are left out', () => {
  const [table] = tablesOf('<table><tr><th>a<th hidden>x<th>b<tr><th>c<td hidden>x<td>d</table>');
  assert.deepEqual(table, {
    caption: '',
    heading: '',
    headerRows: 1,
    rows: [
      ['a', 'b'],
      ['c', 'd'],
    ],
    isComplete: true,
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

test('a data table of which few cells contain a table is read whole', () => {
  const inner = '<table><tr><td>1<td>2<tr><td>3<td>4</table>';
  const rows = ['a', 'b', 'c', 'd'].map((name) => `<tr><td>${name}<td>about ${name}`).join('');
  const [table, ...others] = tablesOf(`<table><tr><th>name<th>use${rows}<tr><td>e<td>as here: ${inner}</table>`);
  assert.equal(others.length, 0);
  assert.deepEqual(
    table?.rows.map(([name]) => name),
    ['name', 'a', 'b', 'c', 'd', 'e'],
  );
  assert.match(table?.rows.at(-1)?.[1] as string, /^as here:\s+1\s+2\s+3\s+4$/);
});

test('CSV quotes what needs it and guards formulas', () => {
  const [table] = tablesOf('<table><tr><th>a, b<th>=1+1<tr><td>say "x"<td>y<br>z</table>');
  assert.equal(tableToCsv(table!), '"a, b",\'=1+1\r\n"say ""x""","y\nz"\r\n');
});

test('a number with a sign is no formula', () => {
  const cells = ['-1', '+2000.5', '-3%', '-1+1', '-', '=1', '- 1', '-1e3'];
  const [table] = tablesOf(`<table><tr>${cells.map((cell) => `<th>${cell}`).join('')}</table>`);
  assert.equal(tableToCsv(table!), `-1,+2000.5,-3%,'-1+1,'-,'=1,'- 1,'-1e3\r\n`);
});

test('a table knows the heading before it', () => {
  const table = '<table><tr><th>a<th>b<tr><td>1<td>2</table>';
  const tables = tablesOf(
    `<h1>One <b>and</b> all</h1>${table}<h2 hidden>Never</h2><p>text</p>${table}<h3>Two</h3>${table}`,
  );
  assert.deepEqual(
    tables.map(({ heading }) => heading),
    ['One and all', 'One and all', 'Two'],
  );
});

test('a table is read whole if most of its text is main content, and else not at all', () => {
  const html = '<table><tr><th>aaaa<th>bb<tr><td>cccc<td>dd</table><table><tr><th>e<th>f<tr><td>gggggg<td>h</table>';
  const tree = treeOf(html);
  const keptTexts = new Set(['aaaa', 'cccc', 'e', 'f', 'h']);
  const kept = Uint8Array.from(tree.nodes, ({ text }) => (keptTexts.has(text) ? 1 : 0));
  assert.deepEqual(
    readTables(tree, kept).tables.map(({ rows }) => rows),
    [
      [
        ['aaaa', 'bb'],
        ['cccc', 'dd'],
      ],
    ],
  );
});

test('limits cut a table off and leave the next ones out, and both are said', () => {
  const small = '<table><tr><th>a<tr><td>b</table>';
  const many = readTables(treeOf(small.repeat(10_002)), null);
  assert.deepEqual([many.tables.length, many.leftOut], [10_000, 2]);
  // One long text in a thousand columns, and a cell in a hundred thousand rows.
  const row = `<tr>${'<td>y'.repeat(1_000)}<tr><td colspan=1000>${'x'.repeat(100_000)}`;
  const long = readTables(treeOf(`<table><tr><th>a${row}</table>${small}`), null);
  assert.deepEqual([long.tables.map(({ isComplete }) => isComplete), long.leftOut], [[false], 1]);
  const chars = long.tables[0]!.rows.flat().reduce((sum, text) => sum + text.length, 0);
  assert.ok(chars <= 20_000_000, `${chars}`);
  const rows = '<tr><td>x'.repeat(30_000);
  const wide = readTables(treeOf(`<table><tr><th colspan=999>a<th>b${rows}</table>${small}`), null);
  assert.deepEqual([wide.tables.map(({ isComplete }) => isComplete), wide.leftOut], [[false], 1]);
});
