import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync, crc32 as zlibCrc32 } from 'node:zlib';
import { combineCrc32, crc32, spliceBefore } from '../../../src/watcher/report/gzip-splice.ts';
import { ReportCache } from '../../../src/watcher/report/report-cache.ts';
import { drawing, SiteInMemory, sourceOf } from './site-in-memory.ts';

const ALL = { since: null, limit: 10_000 };

test('a text before a gzipped body forms one gzip member with the right checksum', () => {
  const draw = drawing(7);
  for (const bytes of [0, 1, 2, 255, 65_536, 300_001]) {
    const body = Buffer.from(Array.from({ length: bytes }, () => draw(64)));
    const head = Buffer.from(`{"head":${'x'.repeat(draw(900))}}\n`);
    assert.equal(crc32(body), zlibCrc32(body));
    assert.equal(combineCrc32(crc32(head), crc32(body), body.length), zlibCrc32(Buffer.concat([head, body])));
    const gzipped = gzipSync(body);
    const parts = spliceBefore(head, gzipped);
    assert.deepEqual(gunzipSync(Buffer.concat(parts)), Buffer.concat([head, body]));
    assert.equal(parts[1]!.buffer, gzipped.buffer, 'the body is not copied');
  }
});

test('fifty equal requests share one report, and a change causes a new report', async () => {
  const site = new SiteInMemory();
  site.begin(['/', '/a', '/b']);
  const cache = new ReportCache();
  const borrowed = await Promise.all(Array.from({ length: 50 }, () => cache.borrow(sourceOf(site), ALL)));
  assert.equal(cache.built, 1);
  assert.equal(new Set(borrowed.map((one) => one!.report)).size, 1);
  await site.put('/a', 'new');
  await cache.borrow(sourceOf(site), ALL);
  assert.equal(cache.built, 2);
  await cache.borrow(sourceOf(site), { ...ALL, limit: 1 });
  assert.equal(cache.built, 3);
});

test('cached reports are limited in number and bytes, including reports that slow readers still use', async () => {
  const site = new SiteInMemory();
  site.begin(Array.from({ length: 400 }, (_, i) => `/page-${i}.html`));
  const cache = new ReportCache({ maxReports: 3, maxBytes: 60_000, maxBytesInUse: 150_000 });
  const bytes = (await cache.borrow(sourceOf(site), ALL))!.report.gzipped.length;
  assert.ok(bytes > 10_000 && bytes < 60_000, String(bytes));
  const held = [];
  for (let limit = 300; limit < 400; limit++) {
    const borrowed = await cache.borrow(sourceOf(site), { since: null, limit });
    if (borrowed === null) break;
    held.push(borrowed);
  }
  assert.ok(held.length > 3 && held.length < 20, `${held.length} were borrowed`);
  assert.ok(cache.bytesInUse < 150_000 + bytes);
  assert.equal(await cache.borrow(sourceOf(site), { since: null, limit: 5 }), null, 'too many bytes are in use');
  for (const borrowed of held) {
    borrowed.release();
    borrowed.release();
  }
  assert.ok(cache.bytesInUse <= 60_000, `${cache.bytesInUse} bytes`);
  assert.notEqual(await cache.borrow(sourceOf(site), { since: null, limit: 5 }), null);
});

test('a report that cannot be built does not block the next', async () => {
  const site = new SiteInMemory();
  site.begin(['/']);
  const cache = new ReportCache();
  const broken = { ...sourceOf(site), rankOf: () => assert.fail('no rank') };
  await assert.rejects(cache.borrow(broken, ALL), /no rank/);
  assert.notEqual(await cache.borrow(sourceOf(site), ALL), null);
});
