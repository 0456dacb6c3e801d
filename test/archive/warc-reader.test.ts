import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MemberWalk } from '../../src/archive/gzip-walk.ts';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { readWarcFile } from '../../testbed/archive/read-warc-file.ts';
import { archiveFolder, exchange, noise, writerIn } from './exchange.ts';

test('a damaged byte is detected or has no effect: a wrong payload is never returned', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const [binary, text] = [noise(64), Buffer.from('text '.repeat(20))];
  const stored = { body: binary, place: writer.append(exchange({ contentType: 'image/png', body: [binary] })) };
  const deflated = { body: text, place: writer.append(exchange({ body: [text] })) };
  await writer.close();
  const path = join(dir, stored.place.file);
  const whole = readFileSync(path);
  for (const { body, place } of [stored, deflated]) {
    const harmless: number[] = [];
    for (let at = 0; at < place.length; at += 3) {
      const damaged = Buffer.from(whole);
      damaged[place.offset + at] = damaged[place.offset + at]! ^ 0x10;
      writeFileSync(path, damaged);
      try {
        const capture = await readCapture(dir, place);
        assert.ok(capture.body.equals(body));
        harmless.push(at);
      } catch (error) {
        assert.equal((error as { code: string }).code, 'ERR_ARCHIVE', `byte ${at}`);
      }
    }
    // Harmless bytes: time and system in the gzip header, and the bits that fill up the last byte of deflate data.
    assert.ok(
      harmless.every((at) => (at >= 4 && at < 10) || at === place.length - 9),
      `${harmless}`,
    );
  }
});

test('reading a place without a capture is an error and returns no garbage', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const { file, offset, length } = writer.append(exchange());
  await writer.close();
  const end = writer.flush().get(file)!;
  const wrong = [
    { file, offset: 0, length: offset },
    { file, offset: offset + length, length: end - offset - length },
    { file, offset: offset + 1, length },
    { file, offset, length: length - 1 },
    { file, offset, length: length + 1 },
    { file, offset: end, length: 10 },
    { file, offset: -1, length },
    { file, offset, length: 0 },
    { file, offset, length: Number.MAX_SAFE_INTEGER },
    { file: `../${file}`, offset, length },
    { file: 'orbweaver-20000101000000-u1-00001.warc.gz', offset, length },
  ];
  for (const place of wrong)
    await assert.rejects(readCapture(dir, place), { code: 'ERR_ARCHIVE' }, JSON.stringify(place));
});

test('a file that is not an archive is reported as damaged and never throws', async (t) => {
  const dir = archiveFolder(t);
  const path = join(dir, 'x.warc.gz');
  const texts = [
    'plain text',
    '\x1f\x8b\x08\x04rest of it',
    gzipSync('no record').toString('latin1'),
    '\x1f\x8b\x08\x00\0\0\0\0\0\0\xff',
  ];
  for (const text of texts) {
    writeFileSync(path, text, 'latin1');
    const reader = readWarcFile(path);
    for await (const _ of reader) assert.fail('there is no record');
    assert.equal(reader.problem, 'damaged', JSON.stringify(text));
  }
  writeFileSync(path, '');
  const empty = readWarcFile(path);
  for await (const _ of empty) assert.fail('there is no record');
  assert.equal(empty.problem, null);
});

test('members are the same however the bytes are divided into chunks', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  writer.append(exchange({ contentType: 'image/png', body: [noise(700)] }));
  writer.flush();
  const { file } = writer.append(exchange({ body: [Buffer.from('text '.repeat(50))] }));
  await writer.close();
  const whole = readFileSync(join(dir, file));
  const walkIn = (chunkBytes: number) => {
    const walk = new MemberWalk();
    const members: string[] = [];
    for (let at = 0; ; ) {
      const result = walk.next();
      if (result.kind === 'member')
        members.push(`${result.offset}+${result.length} ${result.plain.toString('latin1')}`);
      else if (result.kind === 'damaged' || at >= whole.length) return members;
      else {
        walk.feed(whole.subarray(at, at + chunkBytes));
        at += chunkBytes;
      }
    }
  };
  const expected = walkIn(whole.length);
  assert.equal(expected.length, 5);
  for (const chunkBytes of [1, 7, 64, 1000]) assert.deepEqual(walkIn(chunkBytes), expected);
});
