/** docs/search-query.md says what the parser does. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FIELDS } from '../../../src/search/query/fields.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { MAX_LEAVES, MAX_NESTING, MAX_QUERY_CHARS, MAX_WORD_CHARS } from '../../../src/search/query/query-limits.ts';
import { QUERY_NOTE_CODES } from '../../../src/search/query/query-notes.ts';
import { NOW_MS } from './show-query.ts';

const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/search-query.md'), 'utf8');

/** The texts in code style in one column of the tables that have these column titles. */
function examplesOf(...titles: readonly string[]): string[] {
  const tables = DOCS.split('\n\n').flatMap((part) =>
    part.split('\n').filter((line) => line.startsWith('|')).length > 2 ? [part] : [],
  );
  const rows = tables.flatMap((table) => {
    const lines = table.split('\n').filter((line) => line.startsWith('|'));
    const cells = lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')));
    return titles.flatMap((title) => {
      const column = cells[0]!.indexOf(title);
      return column === -1 ? [] : cells.slice(2).map((row) => row[column]!);
    });
  });
  return rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!));
}

test('every example of the documentation is read without a note', () => {
  const examples = examplesOf('query', 'example');
  assert.ok(examples.length > 30, `${examples.length} examples`);
  for (const text of examples) assert.deepEqual(parseQuery(text, NOW_MS).notes, [], text);
  const dates = examplesOf('written');
  assert.ok(dates.length > 15, `${dates.length} dates`);
  for (const text of dates) {
    assert.deepEqual(parseQuery(`date:${text}`, NOW_MS).query.kind, text === '..' ? 'word' : 'date', text);
  }
});

test('the documentation has every field, every code of a note and every limit', () => {
  const fields = new Set([...examplesOf('field', 'filter', 'also')].filter((text) => text.endsWith(':')));
  assert.deepEqual(fields, new Set([...FIELDS.keys()].map((name) => `${name}:`)));
  assert.deepEqual(new Set(examplesOf('code')), new Set(QUERY_NOTE_CODES));
  for (const limit of [MAX_QUERY_CHARS, MAX_LEAVES, MAX_NESTING, MAX_WORD_CHARS]) {
    assert.ok(DOCS.includes(`| ${limit.toLocaleString('en')} `), String(limit));
  }
});
