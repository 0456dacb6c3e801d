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
import { compareFolder, cutTail } from '../../src/archive/folder-state.ts';
import { countExchanges, scanRecords } from '../../src/archive/record-scan.ts';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { readWarcFile } from '../../testbed/archive/read-warc-file.ts';
import { archiveFolder, exchange, noise, writerIn } from './exchange.ts';
import { readWithWarcio } from './independent-reader.ts';

const SOUND = { longer: [], shorter: [], absent: [], unknown: [] };

test('the rest of a crash at any byte of the last exchange is cut off, and the crawl continues', async (t) => {
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
    const { longer, shorter, absent, unknown } = compareFolder(dir, committed);
    const expected = { file: kept.file, haveBytes: crashedAt, committedBytes };
    assert.deepEqual(longer, crashedAt > committedBytes ? [expected] : []);
    assert.deepEqual([shorter, absent, unknown], [[], [], []]);
    for (const each of longer) cutTail(dir, each);
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
  assert.deepEqual(compareFolder(dir, new Map([...committed, ...next.flush()])), SOUND);
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

test('files that the store does not know are named, foreign files are not, and no file is changed', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const { file } = writer.append(exchange());
  await writer.close();
  const uncommitted = file.replace('u1', 'u2');
  const foreign = ['notes.txt', 'other-20250101000000-u1-00001.warc.gz', `${file}.bak`];
  copyFileSync(join(dir, file), join(dir, uncommitted));
  for (const name of foreign) writeFileSync(join(dir, name), 'mine');
  assert.deepEqual(compareFolder(dir, writer.flush()), { ...SOUND, unknown: [uncommitted] });
  assert.deepEqual(readdirSync(dir).sort(), [file, uncommitted, ...foreign].sort());
});

test('a file that is shorter than committed is reported with its readable length and is not changed', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  writer.append(exchange({ url: 'http://127.0.0.1/1', body: [noise(3000)], contentType: 'image/png' }));
  const second = writer.append(exchange({ url: 'http://127.0.0.1/2', body: [noise(3000, 2)] }));
  await writer.close();
  const gone = second.file.replace('00001', '00002');
  truncateSync(join(dir, second.file), second.offset + 100);
  const committed = new Map([...writer.flush(), [gone, 77]]);
  const { shorter, absent } = compareFolder(dir, committed);
  const expected = {
    file: second.file,
    haveBytes: second.offset + 100,
    committedBytes: writer.flush().get(second.file),
    readableToBytes: second.offset,
  };
  assert.deepEqual([shorter, absent], [[expected], [gone]]);
  assert.equal(statSync(join(dir, second.file)).size, second.offset + 100);
});

test('a folder that does not exist yet needs no recovery', (t) => {
  const dir = join(archiveFolder(t), 'archive');
  assert.deepEqual(compareFolder(dir, new Map()), SOUND);
  assert.equal(existsSync(dir), false);
});

test('a damaged part is skipped up to the next record, whatever bytes it has', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  // The payloads are gzip members, too. So the magic number alone does not prove that a record starts.
  const gzip = () => ({ rawHeaders: ['Content-Encoding', 'gzip'], body: [gzipSync(noise(400)), gzipSync('second')] });
  const places = ['a', 'b', 'c', 'd'].map((name) =>
    writer.append(exchange({ url: `http://127.0.0.1/${name}`, ...gzip(), truncated: 'length' })),
  );
  await writer.close();
  const path = join(dir, places[0]!.file);
  const bytes = readFileSync(path);
  bytes[places[1]!.offset + 40]! ^= 0xff;
  writeFileSync(path, bytes.subarray(0, places[3]!.offset + 50));
  const found = [...scanRecords(path)].map((each) =>
    each.kind === 'record' ? each.record.type : [each.fromOffset, each.isEnd],
  );
  assert.deepEqual(found, [
    'warcinfo',
    'response',
    'request',
    [places[1]!.offset, false],
    'request',
    'response',
    'request',
    [places[3]!.offset, true],
  ]);
  assert.deepEqual([countExchanges(path, 0, 99), countExchanges(path, 0, 1)], [2, 1]);
  assert.equal(countExchanges(path, places[2]!.offset, 99), 1);
});
