import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpFlaw } from '../../../../src/core/http-flaws.ts';
import type { ParserFault } from '../../../../src/fetch/transport/h1/response-parser.ts';
import { damage, generator, inBytes, inRandomPieces, OK, readPieces, readWhole, SOUND } from './reading.ts';

const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

const BAD: Readonly<Record<string, readonly [fault: ParserFault, bytes: string]>> = {
  'no HTTP': ['bad-response', '<html>'],
  'another protocol': ['bad-response', 'SSH-2.0-x\r\n\r\n'],
  'a version nobody knows': ['bad-response', 'HTTP/3.1 200 OK\r\n\r\n'],
  'a status of two digits': ['bad-response', 'HTTP/1.1 20 OK\r\n\r\n'],
  'a status of four digits': ['bad-response', 'HTTP/1.1 2000 OK\r\n\r\n'],
  'a status below 100': ['bad-response', 'HTTP/1.1 099 OK\r\n\r\n'],
  'NUL in a value': ['bad-response', `${OK}x-a: b\0c\r\n\r\n`],
  'NUL in the reason': ['bad-response', 'HTTP/1.1 200 O\0K\r\n\r\n'],
  'a line without a colon': ['bad-response', `${OK}nothing\r\n\r\n`],
  'a length of letters': ['bad-response', `${OK}content-length: five\r\n\r\nhello`],
  'a negative length': ['bad-response', `${OK}content-length: -5\r\n\r\nhello`],
  'an empty length': ['bad-response', `${OK}content-length:\r\n\r\nhello`],
  'a chunk size that is none': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nno\r\n`],
  'a chunk size with a prefix': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`],
  'a chunk size beyond all numbers': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx`],
  'a chunk that is longer than it says': [
    'bad-response',
    `${OK}transfer-encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n`,
  ],
  'an extension without end': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n5;${'x'.repeat(20_000)}`],
  'a trailer without end': ['bad-response', `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(500)}`],
  'a head without end': ['headers-too-large', `${OK}x-a: ${'b'.repeat(3_000)}`],
  'a head that is too large': ['headers-too-large', `${OK}x-a: ${'b'.repeat(3_000)}\r\n\r\n`],
  'announcements without end': ['bad-response', 'HTTP/1.1 103 E\r\n\r\n'.repeat(100)],
  nothing: ['connection-reset', ''],
  'half a head with a line that is none': ['bad-response', `${OK}nothing\r\nx-`],
  'half a head': ['connection-reset', `${OK}x-a: b\r\nx-`],
  'half a body': ['connection-reset', `${OK}content-length: 12\r\n\r\nhello`],
  'half a chunk': ['connection-reset', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhel`],
  'no last chunk': ['connection-reset', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
};

/** Read as curl and browsers read them. */
const FLAWED: Readonly<Record<string, readonly [flaws: readonly HttpFlaw[], bytes: string]>> = {
  'a bare line feed': [['line-end'], `${OK}x-a: b\nx-c: d\r\ncontent-length: 5\r\n\r\nhello`],
  'line feeds alone': [['line-end'], 'HTTP/1.1 200 OK\ncontent-length: 5\n\nhello'],
  'line feeds alone, and CR LF CR LF in the body': [['line-end'], 'HTTP/1.1 200 OK\nx: y\n\nhello\r\n\r\n'],
  'a bare carriage return': [['line-end', 'header-value'], `${OK}x-a: b\rx-c: d\r\ncontent-length: 5\r\n\r\nhello`],
  'a control character in a value': [['header-value'], `${OK}x-a: b\x01c\r\n\r\nhello`],
  'a space in a name': [['header-name'], `${OK}x a: b\r\n\r\nhello`],
  'a space before the colon': [['header-name'], `${OK}x-a : b\r\n\r\nhello`],
  'a header without a name': [['header-name'], `${OK}: b\r\n\r\nhello`],
  'a first line that is folded': [['header-name'], `${OK} x-a: b\r\n\r\nhello`],
  'two spaces before the status': [['status-line'], 'HTTP/1.1  200 OK\r\n\r\nhello'],
  'lower case': [['status-line'], 'http/1.1 200 OK\r\n\r\nhello'],
  'two lengths': [['content-length'], `${OK}content-length: 6\r\ncontent-length: 5\r\n\r\nhello`],
  'a length with a sign': [['content-length'], `${OK}content-length: +5\r\n\r\nhello`],
  'a list of lengths': [['content-length'], `${OK}content-length: 5, 5\r\n\r\nhello`],
  'a length beyond all numbers': [['content-length'], `${OK}content-length: 99999999999999999999\r\n\r\nhello`],
  'a folded length': [['folded-framing'], `${OK}content-length: 5\r\n 2\r\n\r\nhello`],
  'a folded transfer coding': [
    ['folded-framing'],
    `${OK}transfer-encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ],
  'chunked and a length': [
    ['transfer-encoding'],
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ],
  'a chunk size with a space': [['chunk-size'], `${CHUNKED}5 \r\nhello\r\n0\r\n\r\n`],
  'chunks with bare line feeds': [['line-end', 'trailer'], `${CHUNKED}5\nhello\n0\n\n`],
  'a trailer that is none': [['trailer'], `${CHUNKED}5\r\nhello\r\n0\r\nno trailer\r\n\r\n`],
  'no trailer': [['trailer'], `${CHUNKED}5\r\nhello\r\n0\r\n`],
};

for (const [what, [flaws, text]] of Object.entries(FLAWED)) {
  test(`flawed: ${what} is read, and its connection is not used again`, () => {
    const { state, status, body, ...rest } = readWhole(Buffer.from(text, 'latin1'));
    assert.deepEqual({ state, status, body: body.trim() }, { state: 'done', status: 200, body: 'hello' });
    assert.deepEqual(rest.flaws, flaws);
    assert.equal(readWhole(Buffer.from(text, 'latin1'), { open: true }).reusable, false);
  });
}

for (const [what, text] of Object.entries(SOUND)) {
  test(`sound: ${what}`, () => {
    const reading = readWhole(Buffer.from(text, 'latin1'));
    assert.equal(reading.state, 'done');
    assert.ok(['hello, world', 'hello', 'ok', 'no', '0123456789', ''].includes(reading.body), reading.body);
    assert.deepEqual(reading.flaws, []);
  });
}

for (const [what, [fault, text]] of Object.entries(BAD)) {
  test(`bad: ${what} gives ${fault}`, () => {
    assert.equal(readWhole(Buffer.from(text, 'latin1')).fault, fault);
  });
}

test('the division into chunks changes nothing: corpus', () => {
  const random = generator(7);
  const others = [BAD, FLAWED].flatMap((rows) => Object.values(rows).map(([, bytes]) => bytes));
  for (const text of [...Object.values(SOUND), ...others]) {
    const bytes = Buffer.from(text, 'latin1');
    const whole = readWhole(bytes);
    assert.deepEqual(readPieces(inBytes(bytes)), whole, text.slice(0, 200));
    for (let i = 0; i < 10; i++) assert.deepEqual(readPieces(inRandomPieces(bytes, random)), whole, text.slice(0, 200));
  }
});

test('the division into chunks changes nothing: damaged responses', () => {
  const texts = [...Object.values(SOUND), ...Object.values(FLAWED).map(([, bytes]) => bytes)];
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

test('a body whose transfer codings do not include chunked lasts until the connection closes', () => {
  const bytes = Buffer.from(`${OK}transfer-encoding: identity\r\ncontent-length: 2\r\n\r\n5\r\nhello`);
  assert.equal(readWhole(bytes, { open: true }).state, 'body');
  assert.equal(readWhole(bytes).body, '5\r\nhello');
});

test('a head that is cut off keeps its complete lines, and counts as a broken connection', () => {
  const { status, headers, fault, flaws } = readWhole(Buffer.from(`${OK}x-a: b\r\nx-`));
  assert.deepEqual({ status, headers, fault }, { status: 200, headers: ['x-a', 'b'], fault: 'connection-reset' });
  assert.deepEqual(flaws, ['head-cut']);
});

test('an unreadable response says why', () => {
  const why = (text: string): unknown => readWhole(Buffer.from(text, 'latin1')).flaws.at(-1);
  assert.equal(why('<html>'), 'not-http');
  assert.equal(why('HTTP/1.1 20 OK\r\n\r\n'), 'bad-status');
  assert.equal(why(`${OK}x-a: b\0\r\n\r\n`), 'nul');
  assert.equal(why(`${OK}nothing\r\n\r\n`), 'no-colon');
  assert.equal(why(`${OK}content-length: five\r\n\r\n`), 'no-length');
  assert.equal(why(`${CHUNKED}x\r\n`), 'bad-chunk');
  assert.equal(why('HTTP/1.1 103 E\r\n\r\n'.repeat(100)), 'too-many-interim');
});

test('a 204 that announces a body ends its connection', () => {
  const bytes = Buffer.from('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n');
  assert.deepEqual(readWhole(bytes, { open: true }).reusable, false);
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
