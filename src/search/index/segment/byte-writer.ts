/**
 * A growing array of bytes with numbers of variable length: seven bits in a byte, lowest first; the high bit says that
 * more follow. All numbers of the index are below 2^31.
 */
export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 1_024) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for at least this many more bytes. `putNumber` relies on it. */
  reserve(more: number): void {
    const wanted = this.length + more;
    if (wanted <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(wanted, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  number(value: number): void {
    this.reserve(5);
    this.putNumber(value);
  }

  /** Writes without a check. The caller has reserved five bytes. */
  putNumber(value: number): void {
    const { bytes } = this;
    let rest = value;
    while (rest >= 128) {
      bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[this.length++] = rest;
  }

  append(more: Uint8Array): void {
    this.reserve(more.length);
    this.bytes.set(more, this.length);
    this.length += more.length;
  }

  /** Writes the length of a text in UTF-8, and the text. */
  text(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    this.number(bytes.length);
    this.append(bytes);
  }

  /** A view, valid until the next write. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }
}

/** Reads what a ByteWriter wrote. Beyond the end it reads zeros, so damaged bytes cause no endless loop. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  number(): number {
    const { bytes } = this;
    let byte = bytes[this.at++] ?? 0;
    let value = byte & 127;
    for (let shift = 7; byte >= 128 && shift < 35; shift += 7) {
      byte = bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
    }
    return value;
  }

  text(): string {
    const length = this.number();
    const from = this.at;
    this.at += length;
    return Buffer.from(
      this.bytes.buffer,
      this.bytes.byteOffset + from,
      Math.max(0, Math.min(length, this.bytes.length - from)),
    ).toString('utf8');
  }
}
