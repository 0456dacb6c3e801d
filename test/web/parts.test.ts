/** Tests the parts of the web interface that need no browser. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createParser, type StreamEvent } from '../../src/web/api/parse-events.ts';
import { hostPath, readPath } from '../../src/web/routing/paths.ts';
import { inlineLines, rowsOf } from '../../src/web/views/page/diff-rows.ts';
import { readBlocks } from '../../src/web/views/page/markdown-blocks.ts';
import { readSpans } from '../../src/web/views/page/markdown-spans.ts';
import { choicesIn, valueFrom } from '../../src/web/views/rules/rule-value.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test('no part of the pages makes elements or code of text', () => {
  const files = globSync('src/web/**/*.{ts,tsx,html}', { cwd: ROOT });
  assert.ok(files.length > 60);
  const sinks =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function|srcdoc|style="| on\w+="/;
  assert.deepEqual(
    files.filter((file) => sinks.test(readFileSync(join(ROOT, file), 'utf8'))),
    [],
  );
});

test('events arrive whole, however the text is cut', () => {
  const text = ': hello\n\nid: 7\nevent: change\ndata: {"a":\ndata: 1}\n\r\nevent: live\ndata:x\n\ndata: part';
  for (const size of [1, 3, 1_000]) {
    const seen: (StreamEvent & { id: string | undefined })[] = [];
    const parse = createParser((event, id) => seen.push({ ...event, id }));
    for (let at = 0; at < text.length; at += size) parse(text.slice(at, at + size));
    assert.deepEqual(seen, [
      { name: 'change', data: '{"a":\n1}', id: '7' },
      { name: 'live', data: 'x', id: undefined },
    ]);
  }
});

test('every view and every host has an address that is read back', () => {
  for (const host of ['https://example.org', 'http://127.0.0.1:8180', 'https://example.org:8443', 'https://[::1]:80']) {
    assert.deepEqual(readPath(hostPath('a copy', host)), { copy: 'a copy', view: 'sites', host });
  }
  assert.equal(readPath('/c/x/search/advanced').view, 'search/advanced');
  assert.equal(readPath('/c/x/nothing').view, 'unknown');
  assert.equal(readPath('/c/%E0%A4%A/').copy, '%E0%A4%A');
});

test('equal lines of a comparison stay side by side', () => {
  const pieces = [
    { kind: 'same', text: 'first\nThe price is ' },
    { kind: 'removed', text: '$126' },
    { kind: 'added', text: '$405 now\nand later' },
    { kind: 'same', text: ' again\nkept\n' },
    { kind: 'added', text: 'new line\n' },
    { kind: 'same', text: 'last\n' },
  ] as const;
  const hunk = { oldLine: 10, newLine: 20, pieces };
  const shown = rowsOf(hunk).map(({ left, right }) =>
    [left, right].map((line) => line && `${line.number} ${line.parts.map(({ text }) => text).join('')}`),
  );
  assert.deepEqual(shown, [
    ['10 first', '20 first'],
    ['11 The price is $126 again', '21 The price is $405 now'],
    [null, '22 and later again'],
    ['12 kept', '23 kept'],
    [null, '24 new line'],
    ['13 last', '25 last'],
  ]);
  assert.equal(inlineLines(hunk).length, 6);
});

test('Markdown becomes blocks, and what is unknown stays text', () => {
  const text =
    '# Title\n\nSome *text*\nhere.\n\n- a\n- b\n  - c\n\n1. one\n2. two\n\n> quoted\n\n```js\n# no title\n```\n\n| a | b |\n|---|---|\n| 1 \\| 2 | <b>x</b> |\n';
  const blocks = readBlocks(text);
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['heading', 'paragraph', 'list', 'list', 'quote', 'code', 'table'],
  );
  assert.deepEqual(blocks.at(-1), {
    kind: 'table',
    rows: [
      ['a', 'b'],
      ['1 | 2', '<b>x</b>'],
    ],
  });
  const deep = readBlocks(`${'>'.repeat(5_000)} x`);
  assert.equal(deep.length, 1);
});

test('marks within a line are read, and a broken mark is text', () => {
  assert.deepEqual(readSpans('a **b** `c` [d](https://e.test/f_(g) "h") \\*i'), [
    { kind: 'text', text: 'a ' },
    { kind: 'strong', spans: [{ kind: 'text', text: 'b' }] },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'c' },
    { kind: 'text', text: ' ' },
    { kind: 'link', url: 'https://e.test/f_(g)', spans: [{ kind: 'text', text: 'd' }] },
    { kind: 'text', text: ' *i' },
  ]);
  assert.deepEqual(readSpans('snake_case_name and 2 * 3 [x'), [{ kind: 'text', text: 'snake_case_name and 2 * 3 [x' }]);
});

test('a typed rule has the form of its present value', () => {
  assert.deepEqual(valueFrom(' a \n\n b', []), ['a', 'b']);
  assert.equal(valueFrom('12', 5), 12);
  assert.equal(valueFrom('2s', '1s'), '2s');
  assert.equal(valueFrom('', 5), null);
  assert.deepEqual(choicesIn('page|prefix|host'), ['page', 'prefix', 'host']);
  assert.equal(choicesIn('<time>|auto'), null);
});
