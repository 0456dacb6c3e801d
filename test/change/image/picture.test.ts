import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { GreyCells } from '../../../src/change/image/grey-cells.ts';
import { readPicture } from '../../../src/change/image/picture.ts';
import { type Drawing, jpegOf, pngFrom, pngOf } from '../../../testbed/web/picture-files.ts';
import { REAL_FILES, REAL_SIZE, WEBP_HEADS } from './real-files.ts';

/** Null if the picture cannot be drawn. */
async function greyPixels(bytes: Buffer, side: number): Promise<Uint8Array | null> {
  return (await readPicture(bytes, side))?.grey ?? null;
}

/** A face in a frame, with dark and light areas and straight and round lines. */
const face: Drawing = (x, y) => (x < 3 || y < 3 ? 10 : Math.hypot(x - 40, y - 30) < 18 ? 230 : 60 + ((x + y) % 64));

/** Computes the cells by their definition: the average of each cell over a fine grid. */
function slowly(width: number, height: number, draw: Drawing, side: number): number[] {
  return Array.from({ length: side * side }, (_, cell) => {
    const [left, top] = [((cell % side) * width) / side, (Math.floor(cell / side) * height) / side];
    let sum = 0;
    for (let y = Math.floor(top); y < top + height / side; y++) {
      for (let x = Math.floor(left); x < left + width / side; x++) {
        const wide = Math.min(x + 1, left + width / side) - Math.max(x, left);
        const high = Math.min(y + 1, top + height / side) - Math.max(y, top);
        sum += draw(x, y) * Math.max(0, wide) * Math.max(0, high);
      }
    }
    return (sum * side * side) / (width * height);
  });
}

function mostApart(cells: ArrayLike<number>, others: ArrayLike<number>): number {
  return Math.max(...Array.from(cells, (cell, i) => Math.abs(cell - others[i]!)));
}

describe('grey cells', () => {
  for (const [width, height] of [
    [64, 64],
    [100, 37],
    [5, 3],
    [1, 1],
    [1, 90],
  ] as const) {
    test(`${width} × ${height} pixels as 16 × 16 averages`, () => {
      const cells = new GreyCells(width, height, 16);
      for (let y = 0; y < height; y++)
        cells.addRow(
          y,
          Uint8Array.from({ length: width }, (_, x) => face(x, y)),
          width,
        );
      assert.ok(mostApart(cells.average(), slowly(width, height, face, 16)) <= 0.501);
    });
  }
});

describe('files written by other programs', () => {
  for (const { name, file, cells } of REAL_FILES) {
    test(`${name} is drawn as they draw it`, async () => {
      const picture = await readPicture(Buffer.from(file, 'base64'), 16);
      assert.ok(picture?.grey, 'is drawn');
      assert.deepEqual({ width: picture.width, height: picture.height }, REAL_SIZE);
      // PNG and GIF hold pixels. The brightness of a JPEG is rounded once more in the
      // conversion through red, green and blue.
      assert.ok(mostApart(picture.grey, Buffer.from(cells, 'base64')) <= (name.startsWith('jpeg') ? 3 : 0));
    });
  }

  test('a WebP file tells its size, and is not drawn', async () => {
    for (const head of WEBP_HEADS) {
      assert.deepEqual(await readPicture(Buffer.from(head, 'base64'), 16), { ...REAL_SIZE, grey: null });
    }
  });
});

describe('JPEG', () => {
  const restarting = jpegOf(83, 61, face, { restartEvery: 3 });

  test('restart markers are read', async () => {
    const plain = await greyPixels(jpegOf(83, 61, face), 16);
    assert.ok(plain);
    assert.deepEqual(await greyPixels(restarting, 16), plain);
    assert.ok(mostApart(plain, slowly(83, 61, face, 16)) <= 2);
  });

  test('for a large picture, the average of each block is used', async () => {
    const large: Drawing = (x, y) => face(x >> 3, y >> 3);
    const grey = await greyPixels(jpegOf(653, 547, large), 16);
    assert.ok(grey);
    const exact = await greyPixels(pngOf(653, 547, large), 16);
    assert.ok(mostApart(grey, exact!) <= 6, `${mostApart(grey, exact!)}`);
  });

  test('a missing restart marker and a premature end count as damage', async () => {
    const at = restarting.indexOf(Buffer.from([0xff, 0xd0]));
    assert.equal(await greyPixels(Buffer.concat([restarting.subarray(0, at), restarting.subarray(at + 2)]), 16), null);
    assert.equal(await greyPixels(restarting.subarray(0, restarting.length - 40), 16), null);
  });
});

describe('a picture with false sizes', () => {
  test('40 megapixels are refused by the head, whatever is in the file', async () => {
    const png = pngFrom(8_000, 5_000, deflateSync(Buffer.alloc(8_001 * 5_000), { level: 1 }));
    assert.deepEqual(await readPicture(png, 32), { width: 8_000, height: 5_000, grey: null });
    const jpeg = Buffer.from(jpegOf(64, 64, face));
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    jpeg.writeUInt16BE(8_000, frame + 5);
    jpeg.writeUInt16BE(5_000, frame + 7);
    assert.deepEqual(await readPicture(jpeg, 32), { width: 5_000, height: 8_000, grey: null });
  });

  test('a row of a million pixels is refused, since rows are held', async () => {
    assert.deepEqual(await readPicture(pngFrom(1_000_000, 1, deflateSync(Buffer.alloc(1_000_001))), 32), {
      width: 1_000_000,
      height: 1,
      grey: null,
    });
  });

  test('data after the last row is not decompressed', async () => {
    const data = deflateSync(Buffer.alloc(200_000_000), { level: 1 });
    const before = process.memoryUsage().arrayBuffers;
    const grey = await greyPixels(pngFrom(4, 4, data), 16);
    assert.ok(grey?.every((pixel) => pixel === 0));
    assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000);
  });

  test('missing pixels, an unknown compression, an unknown filter or colour: not drawn', async () => {
    const row = deflateSync(Buffer.alloc(9 * 4));
    for (const png of [
      pngFrom(8, 8, row),
      pngFrom(8, 8, Buffer.alloc(0)),
      pngFrom(0, 8, row),
      pngFrom(8, 4, row, [8, 0, 1, 0, 0]),
      pngFrom(8, 4, row, [8, 5, 0, 0, 0]),
      pngFrom(8, 4, row, [3, 0, 0, 0, 0]),
      pngFrom(8, 4, row, [8, 3, 0, 0, 0]),
      pngFrom(8, 4, deflateSync(Buffer.alloc(9 * 4, 9))),
      pngFrom(8, 4, Buffer.from('no zlib at all')),
    ]) {
      assert.equal((await readPicture(png, 16))?.grey, null);
    }
  });

  test('endless scans are given up', async () => {
    const { file } = REAL_FILES.find(({ name }) => name === 'jpeg-progressive')!;
    const jpeg = Buffer.from(file, 'base64');
    const start = jpeg.indexOf(Buffer.from([0xff, 0xda]));
    const end = jpeg.indexOf(Buffer.from([0xff, 0xc4]), start);
    const [head, scan, rest] = [jpeg.subarray(0, start), jpeg.subarray(start, end), jpeg.subarray(end)];
    const many = (count: number) => Buffer.concat([head, ...Array<Buffer>(count).fill(scan), rest]);
    assert.deepEqual(await greyPixels(many(3), 16), await greyPixels(jpeg, 16));
    assert.equal(await greyPixels(many(100), 16), null);
  });
});

describe('broken files', () => {
  const files = [
    ...REAL_FILES.map(({ name, file }) => ({ name, bytes: Buffer.from(file, 'base64') })),
    { name: 'with restarts', bytes: jpegOf(40, 30, face, { restartEvery: 2 }) },
  ];

  test('a file cut anywhere never causes an exception', async () => {
    for (const { bytes } of files) {
      for (let end = 0; end < bytes.length; end += 7) {
        const picture = await readPicture(bytes.subarray(0, end), 16);
        assert.ok(!picture?.grey || picture.grey.length === 256);
      }
    }
  });

  test('a file with changed bytes never causes an exception', async () => {
    const next = random(12);
    let drawn = 0;
    for (const { bytes } of files) {
      for (let round = 0; round < 300; round++) {
        const broken = Buffer.from(bytes);
        for (let i = 0; i <= round % 4; i++) broken[next() % broken.length] = next() & 255;
        const picture = await readPicture(broken, 16);
        if (picture?.grey) drawn++;
        assert.ok(!picture?.grey || picture.grey.length === 256);
      }
    }
    assert.ok(drawn > 300, 'some of the damage is in places that do not matter much');
  });

  test('bytes that are not a picture are not read as one', async () => {
    for (const text of ['', 'GIF', 'GIF89a', '<svg/>', '\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'RIFF    WEBPVP9 ']) {
      assert.equal((await readPicture(Buffer.from(text.padEnd(40, '\0'), 'latin1'), 16))?.grey ?? null, null);
      assert.equal((await readPicture(Buffer.from(text, 'latin1'), 16))?.grey ?? null, null);
    }
  });
});

/** Produces the same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
