/** Tests that the benchmark of Markdown sees what is missing, and decides by itself what is a data table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Comparison } from '../../bench/markdown-sites/compare.ts';
import { readParts } from '../../bench/markdown-sites/read-parts.ts';

const URL = 'http://site.test/page.html';
const PAGE = `<title>t</title><h1>One <a href="#one">¶</a></h1><p hidden><a href=/never>never</a>
<p><a href=/a>first</a> <a href="#n1" id=r1>[1]</a><pre>a\n  b <a href=/c>c</a></pre>
<table><tr><th>Name<th>Size<tr><td>leg<td>4</table><table><tr><td>left<td><h2>right</h2></table>`;

test('the parts of a page are read without what it hides', () => {
  const { headings, links, codeLinks, noteLinks, codeBlocks, cells, grids } = readParts(PAGE, URL);
  assert.deepEqual(headings, ['h1 One', 'h2 right']);
  assert.deepEqual([links, codeLinks, noteLinks], [['http://site.test/a first'], 1, 1]);
  assert.deepEqual([codeBlocks, grids], [['a\n  b c'], ['Name|Size\nleg|4']]);
  assert.deepEqual(
    cells.map(({ text, isData }) => `${text} ${isData}`),
    ['Name true', 'Size true', 'leg true', '4 true', 'left false', 'right false'],
  );
});

test('each part that is missing or different is counted', () => {
  const comparison = new Comparison();
  const page = readParts(PAGE, URL);
  comparison.add(URL, page, page);
  assert.deepEqual(comparison.missing, []);
  const worse = PAGE.replace('h1', 'h3').replace('href=/a>', 'href=/b>').replace('  b', ' b').replace('<td>4', '<td>5');
  comparison.add(URL, page, readParts(worse.replace('<td>left', '<p>left'), URL));
  assert.deepEqual(
    comparison.missing.map(({ part, text }) => `${part}: ${text}`),
    ['headings: h1 One', 'links: http://site.test/a first', 'codeBlocks: a\n  b c', 'grids: Name|Size\nleg|4'].concat(
      'dataCells: 4',
      'otherCells: left',
    ),
  );
  assert.deepEqual(
    [comparison.shares.dataCells, comparison.asText],
    [
      { all: 8, same: 7 },
      { all: 1, same: 1 },
    ],
  );
});

test('words that lost the space between them are different, and line breaks are spaces', () => {
  const cellsOf = (html: string) => readParts(`<table><tr><th>${html}</table>`, URL).cells.map(({ text }) => text);
  const [apart, joined, blocks] = ['<i>a</i><b> </b>b', '<i>a</i>b', '<p>a</p>b<br>c'].map(cellsOf);
  assert.deepEqual([apart, joined, blocks], [['a b'], ['ab'], ['a b c']]);
});
