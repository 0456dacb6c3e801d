import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeMarkdown } from '../../../src/content/markdown/write-markdown.ts';
import { writeText } from '../../../src/content/markdown/write-text.ts';
import { readTables } from '../../../src/content/tables/read-tables.ts';
import { PAGE_URL, treeOf } from './written-page.ts';

const MAX_CPU_MS = 3_000;
/** The limit of the output, with some room for the ends of blocks. */
const MAX_CHARS = 20_100_000;

const HOSTILE: Readonly<Record<string, string>> = {
  // An outline ends after 200,000 nodes, so more text would only cost the test time.
  'nested tables': '<table><tr><td>x'.repeat(70_000),
  'nested data tables': `<table><tr>${'<th>x'.repeat(8)}<td>`.repeat(20_000),
  '70,000 list levels': '<ul><li>x'.repeat(70_000),
  'spans of a whole table': `<table>${'<tr><td colspan=1000 rowspan=65534>x'.repeat(20_000)}`,
  'code with lines in deep lists': `${'<ul><li>'.repeat(50)}<pre>${'a\n'.repeat(500_000)}`,
  'nested formats': '<b><i><s><sup>x'.repeat(40_000),
  'formats around paragraphs': `${'<b><i><a href=x>'.repeat(150)}${'<p>x'.repeat(20_000)}`,
  'links like footnotes':
    '<p id=a><a href="#b" id=c>1</a>'.repeat(20_000) + '<p id=b><a href="#c">1</a>'.repeat(20_000),
};

for (const [name, html] of Object.entries(HOSTILE)) {
  test(`${name} cost little time and little output`, () => {
    const tree = treeOf(html);
    const before = process.cpuUsage();
    const lengths = [writeMarkdown(tree, null, PAGE_URL).length, writeText(tree, null).length];
    readTables(tree, null);
    const { user, system } = process.cpuUsage(before);
    assert.ok(Math.max(...lengths) <= MAX_CHARS, `${lengths}`);
    assert.ok((user + system) / 1_000 < MAX_CPU_MS, `${(user + system) / 1_000} ms`);
  });
}

test('a text of one kind of sign takes linear time', () => {
  for (const sign of ['`', '*', '_', '[', '&', '# ', '- ', '$', '\\', '!', ' ', '\n', '<br>', '|']) {
    const before = process.cpuUsage();
    writeMarkdown(treeOf(`<p>${sign.repeat(20_000)}x`), null, PAGE_URL);
    assert.ok(process.cpuUsage(before).user < 500_000, JSON.stringify(sign));
  }
});
