import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '../../../src/watcher/report/cursor.ts';
import { takeInLine } from '../../../src/watcher/serve/log-lease.ts';
import { parseQuestion } from '../../../src/watcher/serve/question.ts';
import { pageUrl } from '../../../src/watcher/serve/served-url.ts';
import { drawing } from '../report/site-in-memory.ts';

const PIECES = [
  'since=',
  'take=',
  'limit=',
  'for=',
  'token=',
  'release=',
  '&',
  '=',
  '%',
  '%41',
  '%ff',
  '?',
  '.',
  '~',
  'l',
  'k3f9x2.',
  '12',
  '-1',
  'a',
  '"',
  ' ',
  'GET ',
  '/',
  '..',
  '\0',
  'ä',
  '\u{1f577}',
  '\ud800',
  'AAAAAAAA',
  '9'.repeat(20),
];

test('no input makes a parser throw or return values outside the limits', () => {
  const draw = drawing(11);
  let questions = 0;
  for (let i = 0; i < 30_000; i++) {
    const text = Array.from({ length: draw(12) }, () => PIECES[draw(PIECES.length)]).join('');
    const question = parseQuestion(text);
    if (question !== null) {
      questions++;
      assert.ok(question.limit >= 0 && question.limit <= 10_000);
      assert.match(question.take?.holder ?? 'a', /^[\w.-]{1,64}$/);
      assert.ok(question.take === null || question.release === null);
    }
    const cursor = parseCursor(text);
    assert.ok(cursor === null || Number.isSafeInteger(cursor.seq));
    takeInLine(`1.1.1.1 - - [x] "GET /r?${text} HTTP/1.1" 200 1`, '/r');
    const url = pageUrl(`/${text}`, ['take']);
    assert.ok(url === null || /^\/[\x21-\x7e]*$/.test(url), JSON.stringify(url));
  }
  assert.ok(questions > 200, `${questions} were questions`);
});
