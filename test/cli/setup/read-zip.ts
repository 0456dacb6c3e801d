/** Reads ZIP files from their central directory, as most readers do. It shares no code with the writer. */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';

export interface ZippedFile {
  readonly name: string;
  readonly method: number;
  readonly content: Buffer;
}

export function readZip(zip: Buffer): ZippedFile[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  assert.equal(end, zip.length - 22, 'the file ends with the directory');
  let [count, start] = [zip.readUInt16LE(end + 10), zip.readUInt32LE(end + 16)];
  if (zip.toString('latin1', end - 20, end - 16) === 'PK\x06\x07') {
    const record = Number(zip.readBigUInt64LE(end - 12));
    assert.equal(zip.toString('latin1', record, record + 4), 'PK\x06\x06');
    count = Number(zip.readBigUInt64LE(record + 32));
    start = Number(zip.readBigUInt64LE(record + 48));
  }
  const files: ZippedFile[] = [];
  for (let at = start; files.length < count; ) {
    assert.equal(zip.toString('latin1', at, at + 4), 'PK\x01\x02');
    const [nameBytes, extraBytes] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const name = zip.toString('latin1', at + 46, at + 46 + nameBytes);
    let extra = at + 46 + nameBytes + 4;
    const number = (place: number): number => {
      if (zip.readUInt32LE(place) !== 0xffffffff) return zip.readUInt32LE(place);
      extra += 8;
      return Number(zip.readBigUInt64LE(extra - 8));
    };
    const [size, packed, offset] = [number(at + 24), number(at + 20), number(at + 42)];
    const from = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
    const content = zip.subarray(from, from + packed);
    assert.equal(zip.toString('latin1', offset + 30, offset + 30 + nameBytes), name);
    assert.deepEqual([content.length, crc32(content)], [size, zip.readUInt32LE(at + 16)], name);
    files.push({ name, method: zip.readUInt16LE(at + 10), content });
    at += 46 + nameBytes + extraBytes;
  }
  return files;
}
