import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDateRange, readDateRange } from '../../../src/search/query/date-range.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { NOW_MS } from './show-query.ts';

const treeOf = (text: string): unknown => parseQuery(text, NOW_MS).query;

function readDates(text: string): readonly [string, string] | null {
  const range = readDateRange(text, NOW_MS, () => {});
  const shown = (ms: number | null): string =>
    ms === null ? '' : new Date(ms).toISOString().replace('T00:00:00.000Z', '');
  return range === null ? null : [shown(range.fromMs), shown(range.toMs)];
}

test('E10: dates are years, months, days and times, alone and in ranges, in UTC', () => {
  const rows: Readonly<Record<string, readonly [string, string]>> = {
    '2026': ['2026-01-01', '2027-01-01'],
    '2026-10': ['2026-10-01', '2026-11-01'],
    '2026/1/5': ['2026-01-05', '2026-01-06'],
    '2024-02-29': ['2024-02-29', '2024-03-01'],
    '2026-10-01T12:30': ['2026-10-01T12:30:00.000Z', '2026-10-01T12:31:00.000Z'],
    '2026-10-01T12:30:05Z': ['2026-10-01T12:30:05.000Z', '2026-10-01T12:30:06.000Z'],
    '2026-10-01..2026-11-01': ['2026-10-01', '2026-11-02'],
    '2026-10-31..2026': ['2026-10-31', '2027-01-01'],
    '..2026': ['', '2027-01-01'],
    '2026-10..': ['2026-10-01', ''],
    '>=2026-10': ['2026-10-01', ''],
    '>2026-10': ['2026-11-01', ''],
    '<2026-10': ['', '2026-10-01'],
    '<=2026-10': ['', '2026-11-01'],
    '=2026': ['2026-01-01', '2027-01-01'],
    '[2025 TO 2026-03]': ['2025-01-01', '2026-04-01'],
    '{* TO 2026}': ['', '2027-01-01'],
    '2027..2026': ['2026-01-01', '2028-01-01'],
    today: ['2026-11-19', ''],
    yesterday: ['2026-11-18', '2026-11-19'],
    '7d': ['2026-11-12T21:00:00.000Z', ''],
    'last 7d': ['2026-11-12T21:00:00.000Z', ''],
    'last 2 weeks': ['2026-11-05T21:00:00.000Z', ''],
    last_day: ['2026-11-18T21:00:00.000Z', ''],
    month: ['2026-10-20T21:00:00.000Z', ''],
    '1y': ['2025-11-19T21:00:00.000Z', ''],
    '24h': ['2026-11-18T21:00:00.000Z', ''],
  };
  assert.deepEqual(Object.fromEntries(Object.keys(rows).map((text) => [text, readDates(text)])), rows);
});

test('a date that does not exist is no date', () => {
  for (const text of [
    '2026-02-29',
    '2026-13',
    '2026-00',
    '2026-10-00',
    '26-10-01',
    '2026-10-01T24:00',
    '2026-10-01T12:60',
  ]) {
    assert.equal(readDates(text), null, text);
  }
  for (const text of [
    '',
    '..',
    '*',
    '[* TO *]',
    '2026..x',
    'x..2026',
    '>=',
    '>=x',
    '0999',
    '9999',
    '>9998',
    '9999999d',
    'a'.repeat(200),
  ]) {
    assert.equal(readDates(text), null, text);
  }
});

test('a range of time is written as short as possible', () => {
  for (const text of [
    '2026',
    '2026-10',
    '2024-02-29',
    '2026-10-01T12:30',
    '2026-10-02..2026-11-15',
    '..2026',
    '2025-07..',
    '2025..2026',
  ]) {
    assert.equal(formatDateRange(readDateRange(text, NOW_MS, () => {})!), text);
  }
});

test('E10: date: is the time of the response, changed: the time of the change, before: and after: leave their day out', () => {
  const [day, next] = [Date.UTC(2026, 9, 1), Date.UTC(2026, 9, 2)];
  assert.deepEqual(treeOf('date:2026-10-01'), { kind: 'date', fromMs: day, toMs: next });
  assert.deepEqual(treeOf('changed:2026-10-01..'), { kind: 'changed', fromMs: day, toMs: null });
  assert.deepEqual(treeOf('before:2026-10-01'), { kind: 'date', fromMs: null, toMs: day });
  assert.deepEqual(treeOf('after:2026-10-01'), { kind: 'date', fromMs: next, toMs: null });
  assert.deepEqual(treeOf('date:"last 1 h"'), { kind: 'date', fromMs: NOW_MS - 3_600_000, toMs: null });
});

test('E10: site: is a host or a domain, with a port or a path if they are given', () => {
  const site = (host: string, path = ''): unknown => ({ kind: 'site', host, path });
  const rows: Readonly<Record<string, unknown>> = {
    'example.com': site('example.com'),
    'EXAMPLE.com/': site('example.com'),
    '.example.com': site('example.com'),
    '*.example.com': site('example.com'),
    org: site('org'),
    'example.com/docs': site('example.com', '/docs'),
    'https://example.com/docs/?a=b#c': site('example.com', '/docs/?a=b'),
    'https://example.com:443': site('example.com'),
    'localhost:8080': site('localhost:8080'),
    '[::1]:80/a': site('[::1]', '/a'),
    'münchen.de': site('xn--mnchen-3ya.de'),
    'example.com/a_(b)': site('example.com', '/a_(b)'),
  };
  assert.deepEqual(Object.fromEntries(Object.keys(rows).map((text) => [text, treeOf(`site:${text}`)])), rows);
  for (const text of ['/docs', '?a', '*', '.', 'a*b', 'a b'.replace(' ', '%20'), 'http://']) {
    assert.equal(parseQuery(`site:${text}`, NOW_MS).notes[0]?.code, 'bad-value', text);
  }
});

test('E10: file types and languages have one spelling', () => {
  assert.deepEqual(treeOf('filetype:.PDF'), { kind: 'filetype', value: 'pdf' });
  assert.deepEqual(treeOf('ext:htm'), { kind: 'filetype', value: 'html' });
  assert.deepEqual(treeOf('lang:en-US'), { kind: 'lang', value: 'en' });
  assert.deepEqual(treeOf('language:nds'), { kind: 'lang', value: 'nds' });
  for (const text of ['lang:english', 'filetype:a.b', 'lang:e']) {
    assert.equal(parseQuery(text, NOW_MS).notes[0]?.code, 'bad-value', text);
  }
});

test('link: is a URL in normal form, and without a scheme both schemes', () => {
  const link = (url: string): unknown => ({ kind: 'link', url });
  assert.deepEqual(treeOf('link:HTTPS://Example.com'), link('https://example.com/'));
  assert.deepEqual(treeOf('link:https://a.test/b_(c)?d#e'), link('https://a.test/b_(c)?d'));
  assert.deepEqual(treeOf('(link:https://a.test/b)'), link('https://a.test/b'));
  const both = { kind: 'or', operands: [link('http://a.test/b'), link('https://a.test/b')] };
  assert.deepEqual(treeOf('link:a.test/b'), both);
});

test('depth: is a number or a range of numbers, with both ends', () => {
  const rows: Readonly<Record<string, readonly [number, number | null]>> = {
    ...{ '2': [2, 2], '0..3': [0, 3], '..3': [0, 3], '3..': [3, null], '<3': [0, 2], '<=3': [0, 3], '>3': [4, null] },
    ...{ '>=3': [3, null], '=3': [3, 3], '[1 TO *]': [1, null], '3..1': [1, 3] },
  };
  for (const [text, [from, to]] of Object.entries(rows)) {
    assert.deepEqual(treeOf(`depth:${text}`), { kind: 'depth', from, to }, text);
  }
  for (const text of ['<0', '..', 'x', '-1', '1.5', '12345678901']) {
    assert.equal(parseQuery(`depth:${text}`, NOW_MS).notes[0]?.code, 'bad-value', text);
  }
});
