import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { type DecodedBody, decodeBody, parseContentEncoding } from '../../../src/fetch/body/decode-body.ts';

const TEXT = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `<p>${(i * 7919) % 99_991}</p>`).join(''));
const LIMIT = 1_000_000;

const CODERS = {
  gzip: (bytes: Buffer) => zlib.gzipSync(bytes),
  br: (bytes: Buffer) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (bytes: Buffer) => zlib.zstdCompressSync(bytes),
  deflate: (bytes: Buffer) => zlib.deflateSync(bytes),
} as const;

async function decode(body: Buffer, coding: string, limit = LIMIT, complete = true): Promise<DecodedBody> {
  return decodeBody([body.subarray(0, 7), body.subarray(7)], coding, limit, complete);
}

for (const [coding, encode] of Object.entries(CODERS)) {
  test(`${coding}: whole, exactly at the limit, one byte over, cut short, damaged`, async () => {
    const coded = encode(TEXT);
    assert.deepEqual(await decode(coded, coding), { decoded: TEXT, fault: null });
    assert.equal((await decode(coded, coding, TEXT.length)).fault, null);

    const over = await decode(coded, coding, TEXT.length - 1);
    assert.equal(over.fault, 'body-too-large');
    assert.ok(over.decoded.equals(TEXT.subarray(0, TEXT.length - 1)));

    const cut = await decode(coded.subarray(0, Math.floor(coded.length * 0.9)), coding);
    assert.equal(cut.fault, 'bad-encoding');
    assert.ok(cut.decoded.length > TEXT.length / 4, `${cut.decoded.length}`);
    assert.ok(TEXT.subarray(0, cut.decoded.length).equals(cut.decoded));

    const damaged = Buffer.from(coded);
    const middle = damaged.length >> 1;
    damaged.fill(0xff, middle, middle + 64);
    assert.equal((await decode(damaged, coding)).fault, 'bad-encoding');
  });

  test(`${coding}: a plain body with this label is kept unchanged`, async () => {
    const plain = Buffer.from('<!doctype html><title>plain</title>');
    assert.deepEqual(await decode(plain, coding), { decoded: plain, fault: 'bad-encoding' });
  });
}

test('a body that was cut off is decoded as far as possible', async () => {
  const cut = await decode(CODERS.gzip(TEXT).subarray(0, 20_000), 'gzip', LIMIT, false);
  assert.ok(cut.decoded.length > 10_000);
  assert.ok(TEXT.subarray(0, cut.decoded.length).equals(cut.decoded));
});

test('garbage after a complete gzip stream is not an error', async () => {
  for (const garbage of ['garbage', '\0\0\0\0', '<!-- cached -->\n']) {
    const body = Buffer.concat([CODERS.gzip(TEXT), Buffer.from(garbage)]);
    const { decoded, fault } = await decode(body, 'gzip');
    assert.equal(fault, null, garbage);
    assert.ok(decoded.equals(TEXT), garbage);
  }
});

test('consecutive gzip members are one body, also if garbage follows', async () => {
  const members = [CODERS.gzip(TEXT.subarray(0, 1_000)), CODERS.gzip(TEXT.subarray(1_000))];
  assert.ok((await decode(Buffer.concat(members), 'gzip')).decoded.equals(TEXT));
  assert.ok((await decode(Buffer.concat([...members, Buffer.from('!')]), 'gzip')).decoded.equals(TEXT));
});

test('a gzip header with name, comment and extra field is read', async () => {
  const plain = zlib.gzipSync(TEXT);
  const extras = Buffer.concat([Buffer.from([3, 0, 1, 2, 3]), Buffer.from('name\0comment\0')]);
  const header = Buffer.from(plain.subarray(0, 10));
  header[3] = 4 | 8 | 16;
  const body = Buffer.concat([header, extras, plain.subarray(10), Buffer.from('garbage')]);
  assert.deepEqual(await decode(body, 'gzip'), { decoded: TEXT, fault: null });
});

test('a wrong checksum is an error', async () => {
  const body = CODERS.gzip(TEXT);
  body[body.length - 8]! ^= 0xff;
  assert.equal((await decode(body, 'gzip')).fault, 'bad-encoding');
});

test('raw deflate is distinguished from zlib', async () => {
  assert.deepEqual(await decode(zlib.deflateRawSync(TEXT), 'deflate'), { decoded: TEXT, fault: null });
});

test('stacked codings are decoded in reverse order', async () => {
  assert.deepEqual(await decode(CODERS.br(CODERS.gzip(TEXT)), 'gzip, br'), { decoded: TEXT, fault: null });
  const cut = await decode(CODERS.br(CODERS.gzip(TEXT)).subarray(0, 30_000), 'gzip, br');
  assert.equal(cut.fault, 'bad-encoding');
  assert.ok(TEXT.subarray(0, cut.decoded.length).equals(cut.decoded));
});

test('the header is read as in browsers: unknown words are ignored, and unsupported codings are an error', () => {
  assert.deepEqual(parseContentEncoding('GZIP'), ['gzip']);
  assert.deepEqual(parseContentEncoding('x-gzip,  br'), ['br', 'gzip']);
  assert.deepEqual(parseContentEncoding('utf-8'), []);
  assert.deepEqual(parseContentEncoding('identity, none'), []);
  assert.equal(parseContentEncoding('compress'), null);
  assert.equal(parseContentEncoding('gzip, gzip, gzip, gzip, gzip')?.length, 5);
  assert.equal(parseContentEncoding('gzip, gzip, gzip, gzip, gzip, gzip'), null);
});

test('an empty body has nothing to decode', async () => {
  assert.deepEqual(await decode(Buffer.alloc(0), 'gzip'), { decoded: Buffer.alloc(0), fault: null });
});
