import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { cutArchive } from '../../src/archive/recover.ts';
import { readCapture, readWarcFile } from '../../src/archive/warc-reader.ts';
import { archiveFolder, exchange, noise, writerIn } from './exchange.ts';
import { readWithWarcio } from './independent-reader.ts';

test('a crash at any byte of the last exchange is cut off, and the crawl goes on', async (t) => {
  const source = archiveFolder(t);
  const writer = writerIn(source);
  const kept = writer.append(exchange({ url: 'http://127.0.0.1/kept' }));
  writer.flush();
  const committed = writer.flush();
  const gzip = gzipSync('the last page');
  const headers = ['Content-Encoding', 'gzip'];
  writer.append(exchange({ url: 'http://127.0.0.1/lost', rawHeaders: headers, body: [gzip], metadata: { via: 'x' } }));
  writer.flush();
  await writer.close();
  const committedBytes = committed.get(kept.file)!;
  const fullBytes = statSync(join(source, kept.file)).size;
  const whole = readFileSync(join(source, kept.file));
  assert.ok(fullBytes - committedBytes > 1000);

  const dir = join(source, 'crashed');
  mkdirSync(dir);
  for (let crashedAt = committedBytes; crashedAt <= fullBytes; crashedAt++) {
    writeFileSync(join(dir, kept.file), whole.subarray(0, crashedAt));
    const { cut, missing, removed } = cutArchive(dir, committed);
    const expected = { file: kept.file, fromBytes: crashedAt, toBytes: committedBytes };
    assert.deepEqual(cut, crashedAt > committedBytes ? [expected] : []);
    assert.deepEqual([missing, removed], [[], []]);
    assert.ok(readFileSync(join(dir, kept.file)).equals(whole.subarray(0, committedBytes)));
  }
  assert.equal((await readWithWarcio(join(dir, kept.file))).length, 3);

  const next = writerIn(dir);
  const place = next.append(exchange({ url: 'http://127.0.0.1/next' }));
  await next.close();
  assert.notEqual(place.file, kept.file);
  assert.equal((await readCapture(dir, kept)).url, 'http://127.0.0.1/kept');
  assert.equal((await readCapture(dir, place)).url, 'http://127.0.0.1/next');
  assert.equal((await readWithWarcio(join(dir, place.file))).length, 3);
  assert.deepEqual(cutArchive(dir, new Map([...committed, ...next.flush()])), { cut: [], missing: [], removed: [] });
});

test('the reader stops cleanly at a partial last record, wherever it ends', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const stored = writer.append(exchange({ contentType: 'image/png', body: [noise(300)] }));
  writer.flush();
  const before = writer.flush().get(stored.file)!;
  const deflated = writer.append(exchange({ body: [Buffer.from('text '.repeat(40))] }));
  await writer.close();
  const whole = readFileSync(join(dir, stored.file));
  const path = join(dir, 'cut.warc.gz');
  for (let end = before + 1; end < before + deflated.length; end++) {
    writeFileSync(path, whole.subarray(0, end));
    const reader = readWarcFile(path);
    let records = 0;
    for await (const _ of reader) records++;
    assert.deepEqual([records, reader.problem, reader.readableToBytes], [3, 'partial', before], `cut at ${end}`);
  }
  const bounded = readWarcFile(join(dir, stored.file), before);
  let records = 0;
  for await (const _ of bounded) records++;
  assert.deepEqual([records, bounded.problem], [3, null]);
});

test('files that hold nothing committed are removed, foreign ones are left alone', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const { file } = writer.append(exchange());
  await writer.close();
  const uncommitted = file.replace('u1', 'u2');
  const foreign = ['notes.txt', 'other-20250101000000-u1-00001.warc.gz', `${file}.bak`];
  copyFileSync(join(dir, file), join(dir, uncommitted));
  for (const name of foreign) writeFileSync(join(dir, name), 'mine');
  const { cut, missing, removed } = cutArchive(dir, writer.flush());
  assert.deepEqual([cut, missing, removed], [[], [], [uncommitted]]);
  assert.deepEqual(readdirSync(dir).sort(), [file, ...foreign].sort());
});

test('a file shorter than committed is reported with what can still be read, and not touched', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  writer.append(exchange({ url: 'http://127.0.0.1/1', body: [noise(3000)], contentType: 'image/png' }));
  const second = writer.append(exchange({ url: 'http://127.0.0.1/2', body: [noise(3000, 2)] }));
  await writer.close();
  const gone = second.file.replace('00001', '00002');
  truncateSync(join(dir, second.file), second.offset + 100);
  const committed = new Map([...writer.flush(), [gone, 77]]);
  const { missing } = cutArchive(dir, committed);
  assert.deepEqual(missing, [
    {
      file: second.file,
      haveBytes: second.offset + 100,
      committedBytes: writer.flush().get(second.file),
      readableToBytes: second.offset,
    },
    { file: gone, haveBytes: 0, committedBytes: 77, readableToBytes: 0 },
  ]);
  assert.equal(statSync(join(dir, second.file)).size, second.offset + 100);
});

test('a folder that does not exist yet needs no recovery', (t) => {
  const dir = join(archiveFolder(t), 'archive');
  assert.deepEqual(cutArchive(dir, new Map()), { cut: [], missing: [], removed: [] });
  assert.equal(existsSync(dir), false);
});
