/** Splits a JPEG file (T.81, annex B) into the parts between its markers, and reads the frame header. */

export interface JpegPart {
  readonly marker: number;
  readonly body: Buffer;
  /** Offset of the end of the part. After the header of a scan, the data of the scan begins there. */
  readonly end: number;
}

export interface JpegComponent {
  readonly id: number;
  /** The blocks of the component in one unit of an interleaved scan, across and down. */
  readonly across: number;
  readonly down: number;
  readonly quantization: number;
  /** The blocks of the component itself, without the blocks that only pad the last unit. */
  readonly blocksWide: number;
  readonly blocksHigh: number;
}

export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  readonly isProgressive: boolean;
  readonly components: readonly JpegComponent[];
  readonly unitsWide: number;
  readonly unitsHigh: number;
}

const MAX_PARTS = 1 << 16;
const END = 0xd9;

/** Yields every part with a body, until the end or until invalid data. After a scan it continues at the next marker. */
export function* jpegParts(bytes: Buffer): Generator<JpegPart> {
  let at = 2;
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    at = nextMarker(bytes, at);
    if (at < 0) return;
    const marker = bytes[at + 1]!;
    if (marker === END || at + 4 > bytes.length) return;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) return;
    yield { marker, body: bytes.subarray(at + 4, end), end };
    at = end;
  }
}

/**
 * The offset of the next marker that begins a part. Restart markers, which
 * have no body, and a 0xff in the data are skipped.
 */
function nextMarker(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1]!;
    if (marker > 0x01 && marker < 0xff && (marker < 0xd0 || marker > 0xd8)) return at;
  }
  return -1;
}

/** Null for a frame that cannot be drawn. */
export function readFrame({ marker, body }: JpegPart): JpegFrame | null {
  const count = body[5] ?? 0;
  if (marker > 0xc2 || body[0] !== 8 || (count !== 1 && count !== 3) || body.length < 6 + 3 * count) return null;
  const [height, width] = [body.readUInt16BE(1), body.readUInt16BE(3)];
  const parts = Array.from({ length: count }, (_, i) => body.subarray(6 + 3 * i, 9 + 3 * i));
  const factors = parts.map((part) => ({ across: part[1]! >> 4, down: part[1]! & 15 }));
  if (factors.some(({ across, down }) => across < 1 || across > 4 || down < 1 || down > 4)) return null;
  const mostAcross = Math.max(...factors.map(({ across }) => across));
  const mostDown = Math.max(...factors.map(({ down }) => down));
  return {
    width,
    height,
    isProgressive: marker === 0xc2,
    components: parts.map((part, i) => ({
      id: part[0]!,
      ...factors[i]!,
      quantization: part[2]!,
      blocksWide: Math.ceil((width * factors[i]!.across) / (8 * mostAcross)),
      blocksHigh: Math.ceil((height * factors[i]!.down) / (8 * mostDown)),
    })),
    unitsWide: Math.ceil(width / (8 * mostAcross)),
    unitsHigh: Math.ceil(height / (8 * mostDown)),
  };
}
