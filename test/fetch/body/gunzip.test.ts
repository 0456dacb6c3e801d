/** Tests the decoding of gzip bodies of usual size with one engine and a few buffers. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { giveBack, gunzipUsual, keepDecoded } from '../../../src/fetch/body/gunzip.ts';

const MAX_BYTES = 1_000_000;

function plainly(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes);
  } catch {
    return null;
  }
}

/** A body that is returned must be what Node decodes. A body of usual size and without a flaw must be returned. */
function check(name: string, bytes: Buffer, isUsual: boolean): void {
  const decoded = gunzipUsual(bytes, MAX_BYTES);
  assert.equal(decoded !== null, isUsual, name);
  if (decoded === null) return;
  assert.deepEqual(decoded, plainly(bytes), name);
  giveBack(decoded);
}

test('bodies of usual size are decoded as Node decodes them, and all others are left to the caller', () => {
  for (const size of [0, 1, 100, 36_000, 262_143]) check(`${size} bytes`, gzipSync(randomBytes(size)), true);
  for (const size of [262_144, 262_145, 500_000]) check(`${size} bytes`, gzipSync(randomBytes(size)), false);
  const text = Buffer.from('the web of the orb weaver '.repeat(500));
  const whole = gzipSync(text);
  check('two members', Buffer.concat([whole, whole]), true);
  check('zeros behind the member', Buffer.concat([whole, Buffer.alloc(30)]), false);
  check('garbage behind the member', Buffer.concat([whole, Buffer.from('<!-- cached -->')]), false);
  check('nothing', Buffer.alloc(0), false);
  check('no gzip', text, false);
  check('a bomb with a false length', lying(gzipSync(Buffer.alloc(5_000_000))), false);
  for (let at = 0; at < whole.length - 1; at += 7) {
    check(`cut after ${at} bytes`, whole.subarray(0, at), false);
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 0x55;
    check(`damaged at ${at}`, damaged, plainly(damaged) !== null);
    check('a whole body after a damaged one', whole, true);
  }
});

function lying(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(1_000, bytes.length - 4);
  return bytes;
}

test('no decoded body is longer than the limit', () => {
  assert.equal(gunzipUsual(gzipSync(Buffer.alloc(1_000)), 999), null);
  assert.equal(gunzipUsual(lying(gzipSync(Buffer.alloc(2_000))), 1_500), null);
  assert.equal(gunzipUsual(gzipSync(Buffer.alloc(1_000)), 1_000)?.length, 1_000);
});

test('a buffer is used again only after it was given back, and only once', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((text) => gzipSync(Buffer.from(text.repeat(9)))) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const first = gunzipUsual(one, MAX_BYTES)!;
  const second = gunzipUsual(two, MAX_BYTES)!;
  assert.notEqual(first.buffer, second.buffer);
  assert.equal(String(first), 'one'.repeat(9), 'the second call did not change it');
  giveBack(first);
  giveBack(first);
  const third = gunzipUsual(three, MAX_BYTES)!;
  const fourth = gunzipUsual(one, MAX_BYTES)!;
  assert.equal(third.buffer, first.buffer);
  assert.notEqual(fourth.buffer, third.buffer);
  const kept = keepDecoded(third);
  assert.equal(String(kept), 'three'.repeat(9));
  assert.notEqual(kept.buffer, third.buffer);
  const foreign = Buffer.from('a body without coding');
  giveBack(foreign);
  assert.equal(keepDecoded(foreign), foreign);
});
