/** docs/references.md has one line for each row of the reference table. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CLASS_OF_KIND } from '../../../src/page/page.ts';
import { ATTRIBUTE_ROWS, type AttributeRow, OTHER_ROWS, READS } from '../../../src/page/references/reference-table.ts';

function attributeLine({ on, attributes, kind, reads, inside }: AttributeRow): string {
  const names = attributes.split(' ').map((name) => `\`${name}\``);
  const elements =
    on === '*'
      ? 'any element'
      : on
          .split(' ')
          .map((name) => `\`<${name}>\``)
          .join(' ');
  const place = inside === undefined ? elements : `${elements} in ${inside}`;
  return `| ${place}: ${names.join(' ')} | ${CLASS_OF_KIND[kind]} | ${kind} | ${READS[reads]} |`;
}

test('docs/references.md equals the reference table', () => {
  const text = readFileSync(new URL('../../../docs/references.md', import.meta.url), 'utf8');
  const tables = text
    .slice(text.indexOf('## All rows'))
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const rows = tables.filter((line) => !line.startsWith('| where'));
  const others = OTHER_ROWS.map(({ where, kind }) => `| ${where} | ${CLASS_OF_KIND[kind]} | ${kind} |`);
  const expected = [...ATTRIBUTE_ROWS.map(attributeLine), ...others];
  assert.deepEqual(rows, expected, `the tables should be:\n${expected.join('\n')}`);
});
