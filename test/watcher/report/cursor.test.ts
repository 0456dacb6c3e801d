import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeCursor, listingCursor, MAX_CURSOR_LENGTH, parseCursor } from '../../../src/watcher/report/cursor.ts';

test('a cursor that is written and parsed is the same cursor', () => {
  assert.deepEqual(parseCursor(changeCursor('k3f9x2', 120)), {
    kind: 'change',
    epoch: 'k3f9x2',
    seq: 120,
    unsureUpTo: 120,
  });
  assert.equal(changeCursor('k3f9x2', 120), 'k3f9x2.120');
  assert.deepEqual(parseCursor('k3f9x2.120~163'), { kind: 'change', epoch: 'k3f9x2', seq: 120, unsureUpTo: 163 });
  for (const afterKey of ['0/a b.html', '~/', `0/${'ä\n'.repeat(1_300)}`]) {
    const text = listingCursor('e', 7, afterKey);
    assert.ok(text.length <= MAX_CURSOR_LENGTH);
    assert.match(text, /^[\w.-]+$/);
    assert.deepEqual(parseCursor(text), { kind: 'listing', epoch: 'e', seq: 7, afterKey });
  }
});

test('invalid cursors are parsed to null', () => {
  const whole = listingCursor('e', 7, '0/docs/index.html');
  const other = [
    '',
    '.',
    'e.',
    '.5',
    'e.-1',
    'e.1e3',
    'e.5~4',
    'e.5~',
    'e.l',
    `${'e'.repeat(41)}.1`,
    'e.1.2',
    'é.1',
    `e.${'9'.repeat(16)}`,
  ];
  const cut = [whole.slice(0, -2), whole.replace('e.', 'f.'), `${whole}AA`, `e.l${'A'.repeat(MAX_CURSOR_LENGTH)}`];
  for (const text of [...other, ...cut, ' e.1', 'e.1\n', 'e.1\0']) assert.equal(parseCursor(text), null, text);
});
