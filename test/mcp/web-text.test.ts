import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newBoundary, toResult } from '../../src/mcp/answer.ts';
import { LineReader } from '../../src/mcp/protocol/line-reader.ts';
import { fitting, line, markdown, partOf, visible } from '../../src/mcp/tools/web-text.ts';

test('invisible characters are removed, and those that scripts need stay', () => {
  assert.equal(visible('a\u200bb\u00adc\u2066d\ufeffe\u{e0041}f\u{e0100}g\ud800h'), 'abcdefgh');
  assert.equal(visible('a\u0000b\u001bc\r\nd\te'), 'a b c\nd\te');
  assert.equal(visible('می\u200cخواهم 👩\u200d🚀 ❤\ufe0f'), 'می\u200cخواهم 👩\u200d🚀 ❤\ufe0f');
  assert.equal(line(' a\nb\tc ', 10), 'a b c');
  assert.equal(line('abcdef', 4), 'abc…');
});

test('pictures of Markdown become links', () => {
  assert.equal(markdown('![a](http://x/?q) ![](b)'), '[picture: a](http://x/?q) [picture: ](b)');
});

test('parts of a text join to the whole text and cut no character', () => {
  for (const text of ['', 'short', '🕷'.repeat(50), `${'a'.repeat(30)}\n`.repeat(10), 'x'.repeat(101)]) {
    let whole = '';
    for (let offset = 0; ; ) {
      const part = partOf(text, offset, 20);
      assert.ok(part.text.length <= 20 && !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(part.text));
      whole += part.text;
      if (part.end === text.length) break;
      assert.ok(part.end > offset);
      offset = part.end;
    }
    assert.equal(whole, text);
  }
  assert.deepEqual(partOf('abc', 9, 5), { text: '', end: 3 });
});

test('a list keeps what fits, and at least one item', () => {
  assert.deepEqual(fitting(['aaaa', 'bbbb', 'cccc'], 13), ['aaaa', 'bbbb']);
  assert.deepEqual(fitting(['a'.repeat(100)], 13), ['a'.repeat(100)]);
  assert.deepEqual(fitting([], 13), []);
});

test('a boundary that the text has by chance is replaced', () => {
  const numbers = ['11', '22', '33'];
  assert.equal(
    newBoundary('a 11 b 22', () => numbers.shift()!),
    '33',
  );
  const { content, structuredContent } = toResult({ facts: {}, says: ['hello'], web: null, webText: '' });
  assert.deepEqual([content[0]?.text, structuredContent], ['hello', {}]);
});

test('lines are cut at any place, and a long one costs no memory', () => {
  const text = 'one\n\ntwo\nthree that is too long\nfour';
  for (let size = 1; size <= text.length; size++) {
    const seen: string[] = [];
    const reader = new LineReader(
      10,
      (bytes) => seen.push(bytes.toString()),
      () => seen.push('(too long)'),
    );
    for (let at = 0; at < text.length; at += size) reader.take(Buffer.from(text.slice(at, at + size)));
    reader.end();
    assert.deepEqual(seen, ['one', 'two', '(too long)', 'four']);
  }
});
