/** Grey image files for tests, made pixel by pixel. */
import { crc32, deflateSync } from 'node:zlib';
import { ZIGZAG } from '../../src/change/image/jpeg-tables.ts';

/** Returns a brightness from 0 to 255. */
export type Drawing = (x: number, y: number) => number;

/** `level`: the compression level, which changes the bytes but not the picture. */
export function pngOf(width: number, height: number, draw: Drawing, level = 6): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = draw(x, y);
  return pngFrom(width, height, deflateSync(rows, { level }));
}

/** Writes a PNG whose pixel data may differ from the data that its header promises. */
export function pngFrom(
  width: number,
  height: number,
  data: Buffer,
  format: readonly number[] = [8, 0, 0, 0, 0],
): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(format, 8);
  const chunks = [chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(8 + named.length);
  out.writeUInt32BE(data.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), 4 + named.length);
  return out;
}

export interface JpegWish {
  /** Divisor of the coefficients. A larger divisor gives a coarser picture. */
  readonly quantum?: number;
  readonly restartEvery?: number;
}

/** A baseline JPEG with one component and codes of eight bits that equal their symbols. */
export function jpegOf(width: number, height: number, draw: Drawing, wish: JpegWish = {}): Buffer {
  const { quantum = 4, restartEvery = 0 } = wish;
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  const restarts = Buffer.alloc(2);
  restarts.writeUInt16BE(restartEvery);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegPart(0xdb, Buffer.from([0, ...Array<number>(64).fill(quantum)])),
    jpegPart(0xc0, frame),
    jpegPart(0xc4, flatCodes(0x00)),
    jpegPart(0xc4, flatCodes(0x10)),
    jpegPart(0xdd, restarts),
    jpegPart(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    scanOf(width, height, draw, quantum, restartEvery),
    Buffer.from([0xff, 0xd9]),
  ]);
}

export function jpegPart(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** 255 codes of eight bits. Each code stands for the symbol with its own number. */
export function flatCodes(target: number): Buffer {
  const counts = Array.from({ length: 16 }, (_, i) => (i === 7 ? 255 : 0));
  return Buffer.from([target, ...counts, ...Array.from({ length: 255 }, (_, i) => i)]);
}

function scanOf(width: number, height: number, draw: Drawing, quantum: number, restartEvery: number): Buffer {
  const bytes: number[] = [];
  let bits = '';
  let before = 0;
  let blocks = 0;
  const flush = (): void => {
    for (; bits.length > 0; bits = bits.slice(8)) {
      const byte = Number.parseInt(bits.slice(0, 8).padEnd(8, '1'), 2);
      bytes.push(byte);
      if (byte === 0xff) bytes.push(0);
    }
  };
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < width; left += 8) {
      if (restartEvery > 0 && blocks > 0 && blocks % restartEvery === 0) {
        flush();
        bytes.push(0xff, 0xd0 + ((blocks / restartEvery - 1) & 7));
        before = 0;
      }
      blocks++;
      const values = transform((x, y) => draw(Math.min(left + x, width - 1), Math.min(top + y, height - 1)), quantum);
      bits += coded(0, values[0]! - before);
      before = values[0]!;
      let run = 0;
      for (let k = 1; k < 64; k++) {
        const value = values[ZIGZAG[k]!]!;
        if (value === 0) run++;
        else {
          for (; run > 15; run -= 16) bits += byteBits(0xf0);
          bits += coded(run, value);
          run = 0;
        }
      }
      if (run > 0) bits += byteBits(0);
      if (bits.length % 8 === 0) flush();
    }
  }
  flush();
  return Buffer.from(bytes);
}

const WAVES = Float64Array.from({ length: 64 }, (_, i) => {
  const frequency = i >> 3;
  return Math.cos(((2 * (i & 7) + 1) * frequency * Math.PI) / 16) * (frequency === 0 ? Math.SQRT1_2 : 1);
});

function transform(draw: Drawing, quantum: number): number[] {
  const pixels = Float64Array.from({ length: 64 }, (_, i) => draw(i & 7, i >> 3) - 128);
  const values: number[] = [];
  for (let v = 0; v < 64; v += 8) {
    for (let u = 0; u < 64; u += 8) {
      let sum = 0;
      for (let i = 0; i < 64; i++) sum += pixels[i]! * WAVES[u + (i & 7)]! * WAVES[v + (i >> 3)]!;
      values.push(Math.round(sum / 4 / quantum));
    }
  }
  return values;
}

function coded(run: number, value: number): string {
  const size = value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1;
  const number = value < 0 ? value + 2 ** size - 1 : value;
  return byteBits(run * 16 + size) + (size === 0 ? '' : number.toString(2).padStart(size, '0'));
}

function byteBits(byte: number): string {
  return byte.toString(2).padStart(8, '0');
}
