/**
 * Collects the body of a response. In: buffers to keep, or slices of a read buffer. Slices are
 * copied, because the read buffer is reused at once. Out: a short list of buffers. A body of
 * known length gets one buffer of exactly that length.
 *
 * What always holds: there are few buffers, however small the slices are. A declared length that never arrives costs at
 * most `MAX_PIECE_BYTES` of memory beyond the received bytes.
 */
const SECOND_PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export class BodyPieces {
  bytes = 0;

  #whole: Buffer[] = [];
  #filling: Buffer | null = null;
  #filled = 0;
  #leastBytes = 1;

  /** Keeps a buffer without copying it. Nobody else may use the buffer. */
  add(buffer: Buffer): void {
    this.#whole.push(buffer);
    this.bytes += buffer.length;
  }

  /**
   * Copies a slice. `moreToCome` is the minimum number of bytes that will follow, so that space is reserved for them.
   */
  copy(source: Buffer, from: number, to: number, moreToCome: number): void {
    let at = from;
    while (at < to) {
      const piece = this.#filling ?? this.#begin(to - at + moreToCome);
      const end = Math.min(to, at + piece.length - this.#filled);
      source.copy(piece, this.#filled, at, end);
      this.#filled += end - at;
      this.bytes += end - at;
      if (this.#filled === piece.length) this.#complete(piece);
      at = end;
    }
  }

  /** The first received bytes. */
  beginning(maxBytes: number): Buffer {
    const filling = this.#filling?.subarray(0, this.#filled) ?? EMPTY;
    let count = 0;
    for (let bytes = 0; count < this.#whole.length && bytes < maxBytes; count++) bytes += this.#whole[count]!.length;
    return Buffer.concat([...this.#whole.slice(0, count), filling]).subarray(0, maxBytes);
  }

  /** Returns all received bytes. Nothing may be added afterwards. */
  take(): Buffer[] {
    if (this.#filling !== null) this.#complete(this.#filling.subarray(0, this.#filled));
    const whole = this.#whole;
    this.#whole = [];
    return whole;
  }

  #begin(wantedBytes: number): Buffer {
    this.#filling = Buffer.allocUnsafeSlow(Math.min(MAX_PIECE_BYTES, Math.max(wantedBytes, this.#leastBytes)));
    this.#filled = 0;
    this.#leastBytes = Math.min(MAX_PIECE_BYTES, Math.max(SECOND_PIECE_BYTES, this.#leastBytes * 2));
    return this.#filling;
  }

  #complete(piece: Buffer): void {
    this.#whole.push(piece);
    this.#filling = null;
  }
}
