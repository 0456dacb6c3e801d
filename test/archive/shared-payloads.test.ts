import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordIdsOf } from '../../src/archive/record-id.ts';
import { MOST_SHARED_PAYLOADS, SHARED_PAYLOAD_BYTES, SharedPayloads } from '../../src/archive/shared-payloads.ts';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { archiveFolder, exchange, FETCHED_AT_MS, noise, writerIn } from './exchange.ts';
import { base32 } from './independent-reader.ts';

const digestOf = (n: number) => base32(Buffer.from(String(n)));
const payload = (n: number) => ({
  url: `http://127.0.0.1/${n}`,
  fetchedAtMs: n,
  file: `file-${n}`,
  offset: 2 ** 40 + n,
});

test('a payload that one thread remembers is found by another thread, and only the newest payloads are kept', () => {
  const memory = new SharedArrayBuffer(SHARED_PAYLOAD_BYTES);
  const [writer, reader] = [new SharedPayloads(memory), new SharedPayloads(memory)];
  assert.equal(reader.find(digestOf(1)), null);
  writer.remember(digestOf(1), payload(1));
  assert.deepEqual(reader.find(digestOf(1)), payload(1));
  assert.equal(reader.find(digestOf(2)), null);

  for (let n = 0; n < MOST_SHARED_PAYLOADS; n++) writer.remember('A'.repeat(32), payload(n));
  assert.equal(reader.find(digestOf(1)), null, 'written over');
  const count = 2_000;
  for (let n = 0; n < count; n++) writer.remember(digestOf(n), payload(n));
  let known = 0;
  for (let n = 0; n < count; n++) {
    const found = reader.find(digestOf(n));
    if (found === null) continue;
    assert.deepEqual(found, payload(n));
    known++;
  }
  assert.ok(known > 0.95 * count, `${known} of ${count}`);
});

test('a URL that is too long for a record and an invalid digest are not remembered', () => {
  const payloads = new SharedPayloads(new SharedArrayBuffer(SHARED_PAYLOAD_BYTES));
  payloads.remember(digestOf(1), { ...payload(1), url: `http://127.0.0.1/${'x'.repeat(400)}` });
  payloads.remember('SHORT', payload(2));
  assert.equal(payloads.find(digestOf(1)), null);
  assert.equal(payloads.find('SHORT'), null);
});

test('a record that is locked by a writing or dead thread counts as unknown, and no thread waits for it', () => {
  const memory = new SharedArrayBuffer(SHARED_PAYLOAD_BYTES);
  const payloads = new SharedPayloads(memory);
  payloads.remember(digestOf(1), payload(1));
  const words = new Int32Array(memory);
  const lock = SHARED_PAYLOAD_BYTES / 4 - (MOST_SHARED_PAYLOADS * 384) / 4;
  Atomics.store(words, lock, 1);
  assert.equal(payloads.find(digestOf(1)), null);
  Atomics.store(words, lock, 0);
  assert.deepEqual(payloads.find(digestOf(1)), payload(1));
});

test('a writer refers to a shared payload by its record id in the other file', async (t) => {
  const dir = archiveFolder(t);
  const sharedPayloads = new SharedPayloads(new SharedArrayBuffer(SHARED_PAYLOAD_BYTES));
  const body = [noise(5_000)];
  const url = 'http://127.0.0.1/first';
  const [one, two] = [writerIn(dir, { unit: 'u1' }), writerIn(dir, { unit: 'u2', sharedPayloads })];
  one.append(exchange({ url: 'http://127.0.0.1/before' }));
  const first = one.append(exchange({ url, body, contentType: 'image/png' }));
  await one.close();
  const unknown = two.append(
    exchange({ url: 'http://127.0.0.1/again', body: [noise(5_000)], contentType: 'image/png' }),
  );
  assert.equal(unknown.revisit, false, 'not shared before it is committed');
  sharedPayloads.remember(digestOf(7), { url, fetchedAtMs: FETCHED_AT_MS, file: 'gone.warc.gz', offset: 0 });
  sharedPayloads.remember(first.payloadDigest.slice('sha1:'.length), { ...first, url, fetchedAtMs: FETCHED_AT_MS });
  const three = writerIn(dir, { unit: 'u3', sharedPayloads });
  const again = three.append(exchange({ url: 'http://127.0.0.1/again', body, contentType: 'image/png' }));
  await two.close();
  await three.close();
  assert.equal(again.revisit, true);
  const [original, copy] = [await readCapture(dir, first), await readCapture(dir, again)];
  assert.ok(copy.body.equals(body[0]!));
  assert.equal(copy.warcHeaders.get('warc-refers-to'), `<${original.recordId}>`);
});

test('the ids of a file are the ids of its records, and a foreign file has none', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const place = writer.append(exchange());
  await writer.close();
  assert.equal(recordIdsOf(dir, place.file)?.at(place.offset), (await readCapture(dir, place)).recordId);
  const other = 'orbweaver-20251115094640-u9-00001.warc.gz';
  assert.equal(recordIdsOf(dir, other), null, 'not there');
  writeFileSync(join(dir, other), 'no member');
  assert.equal(recordIdsOf(dir, other), null);
  assert.equal(recordIdsOf(dir, '../elsewhere'), null);
});
