/** Decodes the pixels of one frame of a GIF, row by row: LZW with codes of growing length (GIF89a, appendix F). */

export interface GifFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  /** The grey value of each colour. */
  readonly grey: Uint8Array;
  /** Offset of the first byte of the data, which tells the length of the first codes. */
  readonly dataAt: number;
}

const MAX_CODES = 4096;
/** The first row and the step of each pass of an interlaced frame (appendix E). */
const PASSES: readonly (readonly [from: number, every: number])[] = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
];
const ONE_PASS: typeof PASSES = [[0, 1]];

/** Calls `onRow` with each row. The array is used again for the next row. Returns whether all rows were decoded. */
export function drawFrame(bytes: Buffer, frame: GifFrame, onRow: (y: number, row: Uint8Array) => void): boolean {
  const { width, grey } = frame;
  const row = new Uint8Array(width);
  const rows = rowNumbers(frame);
  let y = rows.next().value;
  let x = 0;
  return unpackCodes(bytes, frame.dataAt, (colour) => {
    row[x++] = grey[colour]!;
    if (x < width) return true;
    onRow(y as number, row);
    x = 0;
    y = rows.next().value;
    return y !== undefined;
  });
}

function* rowNumbers({ height, isInterlaced }: GifFrame): Generator<number, undefined> {
  for (const [from, every] of isInterlaced ? PASSES : ONE_PASS) for (let y = from; y < height; y += every) yield y;
}

/** Passes colours to `onColour` until it returns false. Returns whether that happened before the end of the data. */
function unpackCodes(bytes: Buffer, dataAt: number, onColour: (colour: number) => boolean): boolean {
  const rootBits = bytes[dataAt] ?? 0;
  if (rootBits < 1 || rootBits > 8) return false;
  const clear = 1 << rootBits;
  const end = clear + 1;
  const prefix = new Uint16Array(MAX_CODES);
  const suffix = new Uint8Array(MAX_CODES);
  const stack = new Uint8Array(MAX_CODES);
  for (let colour = 0; colour < clear; colour++) suffix[colour] = colour;
  let codeBits = rootBits + 1;
  let next = end + 1;
  let before = -1;
  let first = 0;
  let buffer = 0;
  let bits = 0;
  let at = dataAt + 1;
  let inBlock = 0;
  for (;;) {
    while (bits < codeBits) {
      if (inBlock === 0) {
        inBlock = bytes[at++] ?? 0;
        if (inBlock === 0) return false;
      }
      if (at >= bytes.length) return false;
      buffer |= bytes[at++]! << bits;
      bits += 8;
      inBlock--;
    }
    const code = buffer & ((1 << codeBits) - 1);
    buffer >>>= codeBits;
    bits -= codeBits;
    if (code === clear) {
      codeBits = rootBits + 1;
      next = end + 1;
      before = -1;
      continue;
    }
    if (code === end || code > next || (code === next && before < 0) || (before < 0 && code > end)) return false;
    // A code that is just being defined stands for the previous string followed by the first colour of that string.
    let depth = 0;
    let walk = code;
    if (code === next) {
      stack[depth++] = first;
      walk = before;
    }
    for (; walk > end; walk = prefix[walk]!) stack[depth++] = suffix[walk]!;
    first = suffix[walk]!;
    stack[depth++] = first;
    while (depth > 0) if (!onColour(stack[--depth]!)) return true;
    if (before >= 0 && next < MAX_CODES) {
      prefix[next] = before;
      suffix[next] = first;
      next++;
      if (next === 1 << codeBits && codeBits < 12) codeBits++;
    }
    before = code;
  }
}
