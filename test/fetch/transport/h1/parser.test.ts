import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParserFault } from '../../../../src/fetch/transport/h1/response-parser.ts';
import { damage, generator, inBytes, inRandomPieces, OK, readPieces, readWhole, SOUND } from './reading.ts';

const BAD: Readonly<Record<string, readonly [fault: ParserFault, bytes: string]>> = {
  'no HTTP': ['bad-response', '<html>'],
  'another protocol': ['bad-response', 'SSH-2.0-x\r\n\r\n'],
  'a version nobody knows': ['bad-response', 'HTTP/3.1 200 OK\r\n\r\n'],
  'a status of two digits': ['bad-response', 'HTTP/1.1 20 OK\r\n\r\n'],
  'a status of four digits': ['bad-response', 'HTTP/1.1 2000 OK\r\n\r\n'],
  'a status below 100': ['bad-response', 'HTTP/1.1 099 OK\r\n\r\n'],
  'an upgrade that nobody asked for': ['bad-response', 'HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  'a bare line feed': ['bad-response', `${OK}x-a: b\nx-c: d\r\n\r\n`],
  'a bare carriage return': ['bad-response', `${OK}x-a: b\rx-c: d\r\n\r\n`],
  'NUL in a value': ['bad-response', `${OK}x-a: b\0c\r\n\r\n`],
  'NUL in the reason': ['bad-response', 'HTTP/1.1 200 O\0K\r\n\r\n'],
  'a control character in a value': ['bad-response', `${OK}x-a: b\x01c\r\n\r\n`],
  'a space before the colon': ['bad-response', `${OK}x-a : b\r\n\r\n`],
  'a line without a colon': ['bad-response', `${OK}nothing\r\n\r\n`],
  'a header without a name': ['bad-response', `${OK}: b\r\n\r\n`],
  'a first line that is folded': ['bad-response', `${OK} x-a: b\r\n\r\n`],
  'two lengths': ['bad-response', `${OK}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
  'a length of letters': ['bad-response', `${OK}content-length: five\r\n\r\nhello`],
  'a negative length': ['bad-response', `${OK}content-length: -5\r\n\r\nhello`],
  'a length with a sign': ['bad-response', `${OK}content-length: +5\r\n\r\nhello`],
  'a list of lengths': ['bad-response', `${OK}content-length: 5, 5\r\n\r\nhello`],
  'an empty length': ['bad-response', `${OK}content-length:\r\n\r\nhello`],
  'a length beyond all numbers': ['bad-response', `${OK}content-length: 99999999999999999999\r\n\r\nhello`],
  'a folded length': ['bad-response', `${OK}content-length: 1\r\n 2\r\n\r\nhello`],
  'a folded transfer coding': ['bad-response', `${OK}transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
  'a chunk size that is none': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nno\r\n`],
  'a chunk size with a prefix': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`],
  'a chunk size with a space': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n`],
  'a chunk size beyond all numbers': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx`],
  'a chunk that is longer than it says': [
    'bad-response',
    `${OK}transfer-encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n`,
  ],
  'chunks with bare line feeds': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n5\nhello\n0\n\n`],
  'an extension without end': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}`],
  'a trailer that is none': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n0\r\nno trailer\r\n\r\n`],
  'a trailer without end': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(500)}`],
  'a head without end': ['headers-too-large', `${OK}x-a: ${'b'.repeat(3_000)}`],
  'a head that is too large': ['headers-too-large', `${OK}x-a: ${'b'.repeat(3_000)}\r\n\r\n`],
  'announcements without end': ['bad-response', 'HTTP/1.1 103 E\r\n\r\n'.repeat(100)],
  nothing: ['connection-reset', ''],
  'half a head': ['connection-reset', `${OK}x-a: b\r\nx-`],
  'half a head that is wrong already': ['bad-response', `${OK}x a: b\r\nx-`],
  'half a body': ['connection-reset', `${OK}content-length: 12\r\n\r\nhello`],
  'half a chunk': ['connection-reset', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhel`],
  'no last chunk': ['connection-reset', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
};

for (const [what, text] of Object.entries(SOUND)) {
  test(`sound: ${what}`, () => {
    const reading = readWhole(Buffer.from(text, 'latin1'));
    assert.equal(reading.state, 'done');
    assert.ok(['hello, world', 'hello', 'ok', 'no', '0123456789', ''].includes(reading.body), reading.body);
  });
}

for (const [what, [fault, text]] of Object.entries(BAD)) {
  test(`bad: ${what} gives ${fault}`, () => {
    assert.equal(readWhole(Buffer.from(text, 'latin1')).fault, fault);
  });
}

test('the division into chunks changes nothing: corpus', () => {
  const random = generator(7);
  for (const text of [...Object.values(SOUND), ...Object.values(BAD).map(([, bad]) => bad)]) {
    const bytes = Buffer.from(text, 'latin1');
    const whole = readWhole(bytes);
    assert.deepEqual(readPieces(inBytes(bytes)), whole, text.slice(0, 200));
    for (let i = 0; i < 10; i++) assert.deepEqual(readPieces(inRandomPieces(bytes, random)), whole, text.slice(0, 200));
  }
});

test('the division into chunks changes nothing: damaged responses', () => {
  const texts = Object.values(SOUND);
  for (let seed = 0; seed < 1_500; seed++) {
    const random = generator(seed);
    const bytes = damage(Buffer.from(texts[random(texts.length)]!, 'latin1'), random);
    const whole = readWhole(bytes);
    assert.deepEqual(readPieces(inBytes(bytes)), whole, `seed ${seed}`);
    assert.deepEqual(readPieces(inRandomPieces(bytes, random)), whole, `seed ${seed}`);
  }
});

test('headers are kept as received, and folded lines are joined by a space', () => {
  const text = `${OK}X-Mixed: a\r\nx-fold: b\r\n\tc\r\n  d \r\nx-none:\r\n e\r\ncontent-length: 0\r\n\r\n`;
  const { headers, statusText } = readWhole(Buffer.from(text));
  assert.deepEqual(headers, ['X-Mixed', 'a', 'x-fold', 'b c d', 'x-none', 'e', 'content-length', '0']);
  assert.equal(statusText, 'OK');
});

test('the same length twice is one length', () => {
  const reading = readWhole(Buffer.from(`${OK}content-length: 2\r\nContent-Length: 2\r\n\r\nok`));
  assert.equal(reading.body, 'ok');
  assert.equal(reading.reusable, true);
});

test('chunked overrides a length, and the connection is not reused', () => {
  const text = `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`;
  const reading = readWhole(Buffer.from(text));
  assert.equal(reading.body, 'hello');
  assert.equal(reading.reusable, false);
});

test('a body whose transfer coding does not end in chunked lasts until the connection closes', () => {
  const bytes = Buffer.from(`${OK}transfer-encoding: chunked, gzip\r\n\r\n5\r\nhello`);
  assert.equal(readWhole(bytes, { open: true }).state, 'body');
  assert.equal(readWhole(bytes).body, '5\r\nhello');
});

test('a connection is reused only if both sides agree and no bytes are left', () => {
  const reusable = (text: string): boolean => readWhole(Buffer.from(text), { open: true }).reusable;
  assert.equal(reusable(SOUND['a length']!), true);
  assert.equal(reusable(SOUND.chunks!), true);
  assert.equal(reusable(SOUND['304 with a length']!), true);
  assert.equal(reusable(SOUND['HTTP/1.0 that stays']!), true);
  assert.equal(reusable('HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'), false);
  assert.equal(reusable(`${OK}Connection: x, Close\r\ncontent-length: 2\r\n\r\nok`), false);
  assert.equal(reusable(`${SOUND['a length']} and more`), false);
  assert.equal(reusable(`${SOUND.chunks}\r\n`), false);
});

test('the response to HEAD has no body, whatever its length says', () => {
  const reading = readWhole(Buffer.from(`${OK}content-length: 99\r\n\r\n`), { open: true, isHead: true });
  assert.equal(reading.state, 'done');
  assert.equal(reading.reusable, true);
});

test('a head may be exactly as large as allowed', () => {
  const head = Buffer.from(`${OK}content-length: 0\r\n\r\n`);
  for (const pieces of [[head], inBytes(head)]) {
    assert.equal(readPieces(pieces, { maxHeadBytes: head.length }).state, 'done');
    assert.equal(readPieces(pieces, { maxHeadBytes: head.length - 1 }).fault, 'headers-too-large');
  }
});
