import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { readCapture } from '../../src/archive/warc-reader.ts';
import type { HttpExchange } from '../../src/archive/warc-writer.ts';
import { readWarcFile } from '../../testbed/archive/read-warc-file.ts';
import { archiveFolder, exchange, FETCHED_AT_MS, noise, writerIn } from './exchange.ts';
import { readWithWarcio } from './independent-reader.ts';

const TEXT = '<p>spiders weave webs and take them down</p>\n'.repeat(300);

function coded(url: string, coding: string, body: Buffer): HttpExchange {
  return exchange({ url, rawHeaders: ['Content-Type', 'text/html', 'Content-Encoding', coding], body: [body] });
}

const KINDS: Record<string, HttpExchange> = {
  identity: exchange({ url: 'http://127.0.0.1/identity', body: [Buffer.from(TEXT)] }),
  gzip: coded('http://127.0.0.1/gzip', 'gzip', gzipSync(TEXT)),
  br: coded('http://127.0.0.1/br', 'br', brotliCompressSync(TEXT)),
  zstd: coded('http://127.0.0.1/zstd', 'zstd', zstdCompressSync(TEXT)),
  deflate: coded('http://127.0.0.1/deflate', 'deflate', deflateSync(TEXT)),
  'several chunks': coded('http://127.0.0.1/chunks', 'gzip', noise(30_000)),
  empty: exchange({ url: 'http://127.0.0.1/empty', body: [] }),
  'empty status text': exchange({
    url: 'http://127.0.0.1/no-text',
    statusText: '',
    status: 404,
    body: [Buffer.from('no')],
  }),
  'not modified': exchange({ url: 'http://127.0.0.1/304', status: 304, rawHeaders: ['ETag', '"1"'], body: [] }),
  'one stored block exactly full': exchange({
    url: 'http://127.0.0.1/65535',
    contentType: 'image/png',
    body: [noise(65_535)],
  }),
  'ten megabytes stored': exchange({
    url: 'http://127.0.0.1/10m',
    contentType: 'image/png',
    body: [noise(7e6, 2), noise(3e6, 3)],
  }),
  'two megabytes of text': exchange({ url: 'http://127.0.0.1/2m', body: [Buffer.from(noise(1e6, 4).toString('hex'))] }),
  truncated: exchange({ url: 'http://127.0.0.1/cut', truncated: 'length', body: [Buffer.from('the begin')] }),
  'http/2': exchange({ url: 'http://127.0.0.1/h2', protocol: 'h2', body: [Buffer.from('second')] }),
  metadata: exchange({
    url: 'http://127.0.0.1/meta',
    body: [Buffer.from('with metadata')],
    metadata: { via: 'http://127.0.0.1/', hopsFromSeed: 'L\r\nInjected: 1' },
  }),
};

test('every kind of body is read back byte for byte, by our reader and by warcio', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const chunks = KINDS['several chunks']!.body[0]!;
  KINDS['several chunks'] = {
    ...KINDS['several chunks']!,
    body: [chunks.subarray(0, 1), chunks.subarray(1, 20_000), Buffer.alloc(0), chunks.subarray(20_000)],
  };
  const places = Object.entries(KINDS).map(([name, sent]) => ({ name, sent, place: writer.append(sent) }));
  await writer.close();

  for (const { name, sent, place } of places) {
    const capture = await readCapture(dir, place);
    const body = Buffer.concat(sent.body);
    assert.ok(capture.body.equals(body), name);
    assert.equal(capture.url, sent.url, name);
    assert.equal(capture.status, sent.status, name);
    assert.equal(capture.statusText, sent.statusText, name);
    assert.equal(capture.fetchedAtMs, FETCHED_AT_MS, name);
    assert.equal(capture.ip, '127.0.0.1', name);
    assert.equal(capture.protocol, sent.protocol, name);
    assert.equal(capture.truncated, sent.truncated, name);
    assert.equal(capture.payloadDigest, place.payloadDigest, name);
    assert.equal(capture.revisit, false, name);
  }

  const [file, length] = [...writer.flush()][0]!;
  const seen = await readWithWarcio(join(dir, file));
  assert.equal(seen[0]!.type, 'warcinfo');
  assert.match(seen[0]!.payload.toString(), /^software: Orbweaver\/test\r\nformat: WARC File Format 1\.1\r\n/);
  const metadata = Object.values(KINDS).filter((kind) => kind.metadata !== undefined).length;
  assert.equal(seen.length, 1 + 2 * places.length + metadata);
  for (const { name, sent, place } of places) {
    const at = seen.findIndex(({ offset }) => offset === place.offset);
    const response = seen[at]!;
    assert.equal(response.type, 'response', name);
    assert.ok(response.payload.equals(Buffer.concat(sent.body)), name);
    assert.equal(response.warc.get('warc-date'), '2025-11-15T09:46:40.123Z', name);
    assert.equal(response.warc.get('warc-truncated') ?? null, sent.truncated, name);
    assert.equal(response.warc.get('warc-protocol') ?? 'http/1.1', sent.protocol, name);
    const request = seen[at + 1]!;
    assert.equal(request.type, 'request', name);
    assert.equal(request.warc.get('warc-concurrent-to'), response.warc.get('warc-record-id'), name);
    assert.equal(request.statusLine, 'GET /page HTTP/1.1', name);
  }
  const fields = seen.find(({ type }) => type === 'metadata')!;
  assert.equal(fields.payload.toString(), 'via: http://127.0.0.1/\r\nhopsFromSeed: L Injected: 1\r\n');
  const ids = seen.map(({ warc }) => warc.get('warc-record-id')!);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids)
    assert.match(id, /^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/);

  const reader = readWarcFile(join(dir, file));
  let expectedOffset = 0;
  let records = 0;
  for await (const record of reader) {
    assert.equal(record.offset, expectedOffset);
    expectedOffset += record.length;
    records++;
  }
  assert.deepEqual([records, reader.problem, reader.readableToBytes], [seen.length, null, length]);
});

test('C11 text without content coding is compressed, and a compressed body is not compressed again', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const text = writer.append(KINDS.identity!);
  const gzipped = writer.append(KINDS.gzip!);
  const image = writer.append(exchange({ contentType: 'image/png', body: [Buffer.alloc(20_000)] }));
  await writer.close();
  assert.ok(text.length < TEXT.length / 10, `${text.length}`);
  const overhead = gzipped.length - KINDS.gzip!.body[0]!.length;
  assert.ok(overhead > 0 && overhead < 700, `${overhead}`);
  assert.ok(image.length > 20_000, `${image.length}`);
});

test('a known payload becomes a revisit that refers to the first capture', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir, { maxFileBytes: 1000 });
  const body = [noise(5000)];
  const first = writer.append(exchange({ url: 'http://127.0.0.1/first', contentType: 'image/png', body }));
  const again = writer.append(
    exchange({
      url: 'http://127.0.0.1/again',
      fetchedAtMs: FETCHED_AT_MS + 60_000,
      rawHeaders: ['X-Mine', 'yes'],
      body,
    }),
  );
  const cut = writer.append(exchange({ url: 'http://127.0.0.1/cut', truncated: 'time', body }));
  const empty = [writer.append(exchange({ body: [] })), writer.append(exchange({ body: [] }))];
  await writer.close();

  assert.deepEqual([first.revisit, again.revisit, cut.revisit, empty[1]!.revisit], [false, true, false, false]);
  assert.equal(again.payloadDigest, first.payloadDigest);
  assert.notEqual(again.file, first.file);
  assert.ok(again.length < 1500, `${again.length}`);
  const capture = await readCapture(dir, again);
  assert.ok(capture.body.equals(body[0]!));
  assert.equal(capture.url, 'http://127.0.0.1/again');
  assert.deepEqual(capture.rawHeaders, ['X-Mine', 'yes', 'Content-Length', '5000']);
  assert.equal(capture.revisit, true);

  const record = (await readWithWarcio(join(dir, again.file)))[1]!;
  assert.equal(record.type, 'revisit');
  assert.equal(record.warc.get('warc-refers-to-target-uri'), 'http://127.0.0.1/first');
  assert.equal(record.warc.get('warc-refers-to-date'), '2025-11-15T09:46:40.123Z');
  assert.equal(record.warc.get('warc-profile'), 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest');
  assert.equal(
    record.warc.get('warc-refers-to'),
    (await readWithWarcio(join(dir, first.file)))[1]!.warc.get('warc-record-id'),
  );
  assert.equal(record.payload.length, 0);
});
