import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CompactedFile, type CopyResult, removeArchiveFiles } from '../../src/archive/compact.ts';
import type { RecordLocation } from '../../src/archive/exchange-records.ts';
import { recordIdsOf } from '../../src/archive/record-id.ts';
import { SourceFile } from '../../src/archive/source-file.ts';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { archiveFolder, exchange, FETCHED_AT_MS, noise, writerIn } from './exchange.ts';
import { readWithWarcio } from './independent-reader.ts';

const NOW_MS = FETCHED_AT_MS + 1_000;

interface Written {
  readonly dir: string;
  readonly file: string;
  readonly bytes: number;
  readonly places: readonly RecordLocation[];
}

/**
 * Writes records that are stored and deflated, small and larger than any window,
 * with and without metadata, and a revisit.
 */
async function writeAll(dir: string): Promise<Written> {
  const writer = writerIn(dir);
  const texts = [Buffer.from('text '.repeat(500)), noise(300), noise(3_000_000), Buffer.alloc(0), noise(300)];
  const places = texts.map((body, i) =>
    writer.append(
      exchange({
        url: `http://127.0.0.1/${i}`,
        body: [body],
        contentType: i === 0 ? 'text/html' : 'image/png',
        requestHead: `GET /${i} HTTP/1.1\r\ncookie: ${'c'.repeat(i === 1 ? 20_000 : 1)}\r\n`,
        ...(i % 2 === 0 ? { metadata: { via: `http://127.0.0.1/${'v'.repeat(i === 2 ? 70_000 : 1)}` } } : {}),
      }),
    ),
  );
  await writer.close();
  const file = places[0]!.file;
  return { dir, file, bytes: writer.flush().get(file)!, places };
}

async function compact(written: Written, kept: readonly number[]): Promise<{ file: string; result: CopyResult }> {
  const source = SourceFile.open(written.dir, written.file, written.bytes)!;
  try {
    const target = new CompactedFile(written.dir, NOW_MS, source.warcinfoBlock()!);
    const places = kept.map((i) => written.places[i]!);
    const needed = { offsets: places.map(({ offset }) => offset), lengths: places.map(({ length }) => length) };
    const result = await target.copy(source, needed, () => {});
    return { file: (await target.finish()).file, result };
  } finally {
    source.close();
  }
}

test('complete exchanges are copied byte for byte, after a warcinfo record of the new file', async (t) => {
  const written = await writeAll(archiveFolder(t));
  const before = await readWithWarcio(join(written.dir, written.file));
  for (const kept of [[0], [1, 3], [2], [0, 2, 4], [0, 1, 2, 3, 4], []]) {
    const { file, result } = await compact(written, kept);
    assert.ok(result.kind === 'copied');
    const after = await readWithWarcio(join(written.dir, file));
    const urls = new Set(kept.map((i) => `http://127.0.0.1/${i}`));
    const expected = before.filter(({ warc }) => urls.has(warc.get('warc-target-uri') ?? ''));
    const facts = (records: typeof after) =>
      records.map(({ type, warc, payload }) => [type, [...warc], payload.length]);
    assert.deepEqual(facts(after.slice(1)), facts(expected));
    assert.equal(after[0]!.type, 'warcinfo');
    assert.equal(after[0]!.warc.get('warc-filename'), file);
    assert.ok(after[0]!.payload.equals(before[0]!.payload), 'it says who wrote the records');
    for (const [n, i] of kept.entries()) {
      const { length } = written.places[i]!;
      const capture = await readCapture(written.dir, { file, offset: result.newOffsets[n]!, length });
      assert.equal(capture.url, `http://127.0.0.1/${i}`);
    }
    removeArchiveFiles(written.dir, [file]);
  }
});

test('a moved record keeps its id and is found by that id at its new place', async (t) => {
  const written = await writeAll(archiveFolder(t));
  const { file, result } = await compact(written, [0, 2]);
  assert.ok(result.kind === 'copied');
  const [first, second] = result.newOffsets;
  const old = recordIdsOf(written.dir, written.file)!;
  const moved = recordIdsOf(written.dir, file)!;
  assert.equal(moved.at(first!), old.at(written.places[0]!.offset));
  assert.equal(moved.at(second!), old.at(written.places[2]!.offset));
  assert.notEqual(moved.at(first!), null);
  assert.equal(moved.at(first! + 1), null, 'no record begins there');
  assert.equal(moved.at(0), null, 'that is no response');
});

test('a moved record can be moved again', async (t) => {
  const written = await writeAll(archiveFolder(t));
  const { file, result } = await compact(written, [0, 1, 2, 4]);
  assert.ok(result.kind === 'copied');
  const bytes = readFileSync(join(written.dir, file)).length;
  const places = [0, 1, 2, 4].map((i, n) => ({ ...written.places[i]!, file, offset: result.newOffsets[n]! }));
  const again = await compact({ ...written, file, bytes, places }, [1, 3]);
  assert.ok(again.result.kind === 'copied');
  const [place] = again.result.newOffsets;
  const capture = await readCapture(written.dir, { file: again.file, offset: place!, length: places[1]!.length });
  assert.ok(capture.body.equals(noise(300)));
  assert.equal(recordIdsOf(written.dir, again.file)!.at(place!), capture.recordId);
  assert.equal((await readWithWarcio(join(written.dir, again.file))).length, 6);
});

test('damage anywhere in an exchange is detected, and no part of the file is copied', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const places = [1, 2].map((n) => writer.append(exchange({ url: `http://127.0.0.1/${n}`, metadata: { via: 'x' } })));
  await writer.close();
  const { file } = places[0]!;
  const bytes = writer.flush().get(file)!;
  const whole = readFileSync(join(dir, file));
  const written = { dir, file, bytes, places };
  const empty = readFileSync(join(dir, (await compact(written, [])).file)).length;
  const { offset } = places[1]!;
  let noticed = 0;
  for (let at = offset; at < bytes; at += 7) {
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 0x11;
    writeFileSync(join(dir, file), damaged);
    const one = await compact(written, [0, 1]);
    if (one.result.kind === 'copied') {
      // Nothing reads these bytes: the time, the flags and the system of a gzip header.
      assert.ok(damaged.subarray(at - 9, at + 1).includes(0x1f), `damage at ${at} went unnoticed`);
    } else {
      // If an unknown kind of record follows an exchange, the exchange itself may have lost a record.
      const expected = at < offset + 60 && one.result.atOffset !== offset ? places[0]!.offset : offset;
      assert.equal(one.result.atOffset, expected);
      assert.equal(readFileSync(join(dir, one.file)).length, empty);
      noticed++;
    }
    removeArchiveFiles(dir, [one.file]);
  }
  assert.ok(noticed > 100, `${noticed} times`);
  for (const end of [offset + 10, bytes - 1, bytes - 400]) {
    writeFileSync(join(dir, file), whole.subarray(0, end));
    const one = await compact(written, [0, 1]);
    assert.deepEqual(one.result, { kind: 'damaged', atOffset: offset }, `cut at ${end}`);
    removeArchiveFiles(dir, [one.file]);
  }
});

test('a missing file and a file that does not begin with a WARC record are refused as a source', (t) => {
  const dir = archiveFolder(t);
  assert.equal(SourceFile.open(dir, 'orbweaver-20250101000000-u1-00001.warc.gz', 100), null);
  for (const text of ['', 'no archive', '\x1f\x8b\x08\x00 and then nothing']) {
    const other = 'orbweaver-20250101000000-u2-00001.warc.gz';
    writeFileSync(join(dir, other), text, 'latin1');
    const source = SourceFile.open(dir, other, 10_000)!;
    assert.equal(source.warcinfoBlock(), null);
    assert.equal(source.exchangeAt(0, 10), null);
    assert.equal(source.exchangeAt(9_999, 10), null);
    source.close();
  }
});

test('only archive files of the crawl are removed, and a missing file is not an error', (t) => {
  const dir = archiveFolder(t);
  const ours = 'orbweaver-20250101000000-u1-00001.warc.gz';
  for (const name of ['notes.txt', ours]) writeFileSync(join(dir, name), 'x');
  removeArchiveFiles(dir, ['notes.txt', ours, ours, '../escape']);
  assert.deepEqual(readdirSync(dir), ['notes.txt']);
});

test('a file that cannot be closed is an error that says what to do', async (t) => {
  const written = await writeAll(archiveFolder(t));
  const source = SourceFile.open(written.dir, written.file, written.bytes)!;
  source.close();
  assert.throws(() => source.close(), { code: 'ERR_ARCHIVE' });
});
