/**
 * Reads the scans of a JPEG: which blocks each scan contains and in which order (T.81,
 * A.2). Scans that do not matter here are skipped.
 */
import { JpegBits } from './jpeg-bits.ts';
import { BlockReader, type ScanCodes, type ScanRange } from './jpeg-blocks.ts';
import type { JpegComponent, JpegFrame, JpegPart } from './jpeg-parts.ts';
import type { JpegPlane } from './jpeg-plane.ts';
import type { JpegTables } from './jpeg-tables.ts';

interface ScannedComponent {
  readonly component: JpegComponent;
  readonly codes: ScanCodes;
}

const MAX_SHIFT = 13;

export class JpegScans {
  readonly #frame: JpegFrame;
  readonly #plane: JpegPlane;
  readonly #tables: JpegTables;
  /** Target for blocks of other components, whose bits must be read but are not needed. */
  readonly #elsewhere = new Int16Array(64);
  /** Whether the first coefficients of the plane were read. */
  isDrawn = false;

  constructor(frame: JpegFrame, plane: JpegPlane, tables: JpegTables) {
    this.#frame = frame;
    this.#plane = plane;
    this.#tables = tables;
  }

  /** Reads a scan. Returns false if it is broken. */
  scan(bytes: Buffer, { body, end }: JpegPart): boolean {
    const scanned = this.#componentsIn(body);
    const range = scanned && this.#rangeIn(body);
    if (!scanned || !range) return false;
    if (!scanned.some(({ component }) => component === this.#plane.component)) return true;
    if (range.from > 0 && !this.#plane.isWhole) return true;
    if (range.from > 0 && scanned.length > 1) return false;
    const reader = new BlockReader(new JpegBits(bytes, end), range, this.#plane.isWhole);
    const [only] = scanned;
    const isRead = scanned.length === 1 ? this.#readAlone(only!, reader) : this.#readTogether(scanned, reader);
    this.isDrawn ||= isRead && range.from === 0;
    return isRead;
  }

  #readAlone({ component, codes }: ScannedComponent, reader: BlockReader): boolean {
    const { blocksWide, blocksHigh } = component;
    const { coefficients, blocksAcross, stride } = this.#plane;
    return this.#inUnits(blocksWide, blocksHigh, [codes], reader, (x, y) =>
      reader.read(codes, coefficients, (y * blocksAcross + x) * stride),
    );
  }

  #readTogether(scanned: readonly ScannedComponent[], reader: BlockReader): boolean {
    const { unitsWide, unitsHigh } = this.#frame;
    const { coefficients, blocksAcross, stride } = this.#plane;
    const all = scanned.map(({ codes }) => codes);
    return this.#inUnits(unitsWide, unitsHigh, all, reader, (x, y) => {
      for (const { component, codes } of scanned) {
        const { across, down } = component;
        const isPlane = component === this.#plane.component;
        for (let i = 0; i < across * down; i++) {
          const block = (y * down + Math.floor(i / across)) * blocksAcross + x * across + (i % across);
          const isRead = isPlane
            ? reader.read(codes, coefficients, block * stride)
            : reader.read(codes, this.#elsewhere, 0);
          if (!isRead) return false;
        }
      }
      return true;
    });
  }

  /**
   * Reads unit by unit, with the restarts in between. Returns false if a unit cannot be read or the data ends early.
   */
  #inUnits(
    wide: number,
    high: number,
    codes: readonly ScanCodes[],
    reader: BlockReader,
    read: (x: number, y: number) => boolean,
  ): boolean {
    const { restartEvery } = this.#tables;
    let units = 0;
    for (let y = 0; y < high; y++) {
      for (let x = 0; x < wide; x++) {
        if (restartEvery > 0 && units > 0 && units % restartEvery === 0) {
          if (!reader.restart()) return false;
          for (const each of codes) each.before = 0;
        }
        if (!read(x, y)) return false;
        units++;
      }
      if (reader.isOver) return false;
    }
    return true;
  }

  #componentsIn(body: Buffer): ScannedComponent[] | null {
    const count = body[0] ?? 0;
    if (count < 1 || count > this.#frame.components.length || body.length < 4 + 2 * count) return null;
    const scanned: ScannedComponent[] = [];
    for (let i = 0; i < count; i++) {
      const [id, tables] = [body[1 + 2 * i]!, body[2 + 2 * i]!];
      const component = this.#frame.components.find((known) => known.id === id);
      if (component === undefined || scanned.some((other) => other.component === component)) return null;
      const { first, rest } = this.#tables;
      scanned.push({ component, codes: { first: first[tables >> 4], rest: rest[tables & 15], before: 0 } });
    }
    return scanned;
  }

  #rangeIn(body: Buffer): ScanRange | null {
    const { isProgressive } = this.#frame;
    if (!isProgressive) return { isProgressive, from: 0, through: 63, had: 0, shift: 0 };
    const [from, through, bits] = body.subarray(1 + 2 * body[0]!) as unknown as [number, number, number];
    const shift = bits & 15;
    const isRange = from === 0 ? through === 0 : from <= through && through <= 63;
    return isRange && shift <= MAX_SHIFT ? { isProgressive, from, through, had: bits >> 4, shift } : null;
  }
}
