import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageCode } from '../../../src/change/codes/image-code.ts';
import { compareImages } from '../../../src/change/image/compare-pictures.ts';
import { type Drawing, jpegOf, pngOf } from '../../../testbed/web/picture-files.ts';
import { REAL_FILES, REAL_SIZE } from './real-files.ts';

const hill: Drawing = (x, y) => Math.round(128 + 90 * Math.sin(x / 40) * Math.cos(y / 55));
const hillWithSun: Drawing = (x, y) => (Math.hypot(x - 150, y - 40) < 12 ? 250 : hill(x, y));

test('P12 the code of a picture comes from its two-tone pixels, whatever the file format is', async () => {
  const pixel: Drawing = (x, y) => ((x * 7 + y * y * 3 + x * y) % 5 < 2 ? 20 : 230);
  const other: Drawing = (x, y) => (x === 3 && y === 2 ? 125 : pixel(x, y));
  const grey = (draw: Drawing) => Uint8Array.from({ length: 256 }, (_, i) => draw(i % 16, i >> 4));
  const change = await compareImages(pngOf(16, 16, pixel), pngOf(16, 16, other));
  assert.deepEqual(change?.codes, {
    before: String(imageCode(grey(pixel), 16)),
    after: String(imageCode(grey(other), 16)),
  });
  assert.notEqual(change?.codes.before, '0');
  assert.equal(change?.looksSame, false);
});

test('P12 a picture that is compressed again looks the same, in the same format or another', async () => {
  const png = pngOf(200, 120, hill);
  const [fine, coarse] = [jpegOf(200, 120, hill, { quantum: 2 }), jpegOf(200, 120, hill, { quantum: 24 })];
  assert.ok(coarse.length < fine.length * 0.8);
  for (const [before, after] of [
    [png, pngOf(200, 120, hill, 1)],
    [png, fine],
    [fine, coarse],
  ] as const) {
    const change = await compareImages(before, after);
    assert.equal(change?.looksSame, true);
    assert.deepEqual(change?.width, { before: 200, after: 200 });
  }
});

test('a scene written by several programs looks the same in each file and in a smaller copy', async () => {
  const files = REAL_FILES.filter(({ name }) => /^jpeg-(base|prog)|^png-(rgb|inter|16)/.test(name));
  assert.equal(files.length, 5);
  for (const { file } of files) {
    const change = await compareImages(Buffer.from(files[0]!.file, 'base64'), Buffer.from(file, 'base64'));
    assert.equal(change?.looksSame, true);
    assert.deepEqual([change?.width.after, change?.height.after], [REAL_SIZE.width, REAL_SIZE.height]);
  }
  const half = await compareImages(
    pngOf(400, 240, hill),
    pngOf(200, 120, (x, y) => hill(2 * x, 2 * y)),
  );
  assert.equal(half?.looksSame, true);
  assert.deepEqual(half?.height, { before: 240, after: 120 });
});

test('a picture with different content, another aspect ratio or a rotation looks different', async () => {
  const png = pngOf(200, 120, hill);
  for (const other of [
    jpegOf(200, 120, hillWithSun, { quantum: 2 }),
    pngOf(200, 60, (x, y) => hill(x, 2 * y)),
    pngOf(200, 120, (x, y) => hill(199 - x, y)),
  ]) {
    assert.equal((await compareImages(png, other))?.looksSame, false);
  }
});

test('the look is unknown if one version cannot be drawn, and absent if neither is a picture', async () => {
  const png = pngOf(20, 12, hill);
  const change = await compareImages(png, png.subarray(0, png.length - 40));
  assert.deepEqual([change?.looksSame, change?.codes.after, change?.width.after], [null, null, 20]);
  assert.equal((await compareImages(png, Buffer.from('<svg/>')))?.width.after, null);
  assert.equal(await compareImages(Buffer.from('<svg/>'), Buffer.from('<svg> </svg>')), null);
});
