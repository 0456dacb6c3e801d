import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractContentType } from '../../src/fetch/content-type.ts';
import { headerValue } from '../../src/fetch/outcome.ts';

/** From the examples and tests of the Fetch standard ("extract a MIME type"). */
const EXTRACTED: readonly (readonly [values: readonly string[], type: string])[] = [
  [['text/plain;charset=gbk', 'text/html'], 'text/html'],
  [['text/html;charset=gbk;a=b', 'text/html;x=y'], 'text/html;charset=gbk'],
  [['text/html;charset=gbk;a=b', 'text/html;x=y;charset=windows-1255'], 'text/html;x=y;charset=windows-1255'],
  [['text/html;charset=gbk', 'x/x', 'text/html;x=y'], 'text/html;x=y'],
  [['text/html', 'cannot-parse'], 'text/html'],
  [['text/html', '*/*'], 'text/html'],
  [['text/html', ''], 'text/html'],
  [['text/html, text/plain'], 'text/plain'],
  [['text/html;charset=utf-8, text/html'], 'text/html;charset=utf-8'],
  [['text/html;a="b,c", text/html'], 'text/html'],
  [['', 'x'], ''],
];

for (const [values, type] of EXTRACTED) {
  test(`the type of ${JSON.stringify(values)} is ${JSON.stringify(type)}`, () => {
    assert.equal(extractContentType(values), type);
    assert.equal(
      headerValue(
        values.flatMap((value) => ['Content-Type', value]),
        'content-type',
      ),
      type,
    );
  });
}

test('a single type is taken as it is, and several content codings are one list', () => {
  assert.equal(headerValue(['content-type', 'html'], 'content-type'), 'html');
  const headers = ['Content-Encoding', 'deflate', 'x', 'y', 'content-encoding', 'gzip'];
  assert.equal(headerValue(headers, 'content-encoding'), 'deflate,gzip');
  assert.equal(headerValue(['etag', 'a', 'etag', 'b'], 'etag'), 'a');
});
