import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { archiveError } from '../../src/archive/archive-error.ts';
import { KnownPayloads } from '../../src/archive/shared-payloads.ts';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { archiveFolder, exchange, noise, writerIn } from './exchange.ts';
import { readWithWarcio } from './independent-reader.ts';

const run = promisify(execFile);

test('files roll over at their size, each with its own warcinfo, and no name is used twice', async (t) => {
  const dir = archiveFolder(t);
  const taken = 'orbweaver-20251115094640-u1-00002.warc.gz';
  writeFileSync(join(dir, taken), 'not ours to write');
  const writer = writerIn(dir, { maxFileBytes: 4000 });
  const places = [1, 2, 3, 4].map((n) => writer.append(exchange({ body: [noise(5000, n)], contentType: 'image/png' })));
  await writer.close();
  assert.deepEqual(
    places.map(({ file }) => file),
    [1, 3, 4, 5].map((serial) => `orbweaver-20251115094640-u1-0000${serial}.warc.gz`),
  );
  assert.equal(statSync(join(dir, taken)).size, 17);
  for (const { file } of places) {
    assert.equal(writer.flush().get(file), statSync(join(dir, file)).size);
    const types = (await readWithWarcio(join(dir, file))).map(({ type }) => type);
    assert.deepEqual(types, ['warcinfo', 'response', 'request']);
  }
});

test('flushed records are in the file before any sync', (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  assert.equal(writer.flush().size, 0, 'a writer without pages makes no file');
  const { file, offset, length } = writer.append(exchange());
  assert.equal(statSync(join(dir, file)).size, offset, 'not yet');
  const writtenBytes = writer.flush().get(file)!;
  assert.equal(statSync(join(dir, file)).size, writtenBytes);
  assert.ok(offset + length < writtenBytes);
  return writer.close();
});

test('appends continue during a sync, also across a roll-over', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir, { maxFileBytes: 2000 });
  const syncs: Promise<void>[] = [];
  const places = [];
  for (let n = 0; n < 20; n++) {
    places.push(writer.append(exchange({ body: [noise(1500, n)], contentType: 'image/png' })));
    syncs.push(writer.sync());
  }
  await Promise.all(syncs);
  await writer.close();
  await writer.close();
  for (const place of places) await readCapture(dir, place);
  assert.throws(() => writer.append(exchange()), { code: 'ERR_INTERNAL' });
});

test('a sync that starts while the writer is idle or closes never uses a closed file', async (t) => {
  const dir = archiveFolder(t);
  for (const end of ['rest', 'close'] as const) {
    for (let round = 0; round < 20; round++) {
      const writer = writerIn(dir);
      writer.append(exchange({ body: [noise(1500, round)], contentType: 'image/png' }));
      await Promise.all([writer[end](), writer.sync()]);
      await writer.close();
    }
  }
});

test('after a failed write the file ends with a complete record, and the writer confirms nothing more', async (t) => {
  const dir = archiveFolder(t);
  const script = join(import.meta.dirname, 'append-until-refused.ts');
  // The limit on file sizes (in blocks of 512 bytes in sh) makes a write fail in the middle, as a full disk does.
  const command = `trap '' XFSZ; ulimit -f 64; exec "$0" "$1" "$2"`;
  const { stdout } = await run('sh', ['-c', command, process.execPath, script, dir]);
  const { codes, appended, lengthBytes, file } = JSON.parse(stdout);
  assert.deepEqual(codes, { write: 'ERR_ARCHIVE', append: 'ERR_ARCHIVE', flush: 'ERR_ARCHIVE', sync: 'ERR_ARCHIVE' });
  assert.ok(appended >= 2, `${appended}`);
  assert.deepEqual(readdirSync(dir), [file]);
  assert.equal(statSync(join(dir, file)).size, lengthBytes);
  assert.equal((await readWithWarcio(join(dir, file))).length, 1 + 2 * appended);
});

test('a full disk and an exhausted quota have their own error code', () => {
  const failed = (code: string) => archiveError('x', Object.assign(new Error('no'), { code })).code;
  assert.deepEqual(['ENOSPC', 'EDQUOT', 'EIO'].map(failed), ['ERR_DISK_FULL', 'ERR_DISK_FULL', 'ERR_ARCHIVE']);
});

test('a folder that cannot be created is an archive error', (t) => {
  const dir = archiveFolder(t);
  writeFileSync(join(dir, 'file'), '');
  assert.throws(() => writerIn(join(dir, 'file', 'archive')), { code: 'ERR_ARCHIVE' });
  assert.throws(() => writerIn(dir, { unit: '../x' }).append(exchange()), { code: 'ERR_INTERNAL' });
});

test('the writer drops the least recently used payloads and never remembers more than its limit', () => {
  const known = new KnownPayloads(10);
  const payload = { bytes: 1, url: '', fetchedAtMs: 0, file: '', offset: 0 };
  for (let n = 0; n < 1000; n++) {
    known.remember(`d${n}`, payload);
    assert.ok(known.size <= 10);
    assert.equal(known.find('d0', 1), payload, 'used every time, so kept');
  }
  assert.equal(known.find('d900', 1), null);
  assert.equal(known.find('d999', 2), null, 'another length is another payload');
  const none = new KnownPayloads(0);
  none.remember('d', payload);
  assert.equal(none.find('d', 1), null);
});
