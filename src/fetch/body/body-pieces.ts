/**
 * The body of a response as it grows. In come buffers to keep, or stretches of a read buffer that is used again at once
 * and are copied; out goes a short list of buffers. A body whose length is known gets one buffer of just that length.
 *
 * What always holds: however small the stretches are, the buffers are few; a length that is only promised takes no more
 * memory than `MAX_PIECE_BYTES` beyond what came.
 */
const SECOND_PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 1024 * 1024;

export class BodyPieces {
  bytes = 0;

  #whole: Buffer[] = [];
  #filling: Buffer | null = null;
  #filled = 0;
  #leastBytes = 1;

  /** Keeps a buffer that nobody else uses, as it is. */
  add(buffer: Buffer): void {
    this.#whole.push(buffer);
    this.bytes += buffer.length;
  }

  /** Copies a stretch; `moreToCome` is what will follow at the least, so that there is room for it. */
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

  /** Hands over all that came. Nothing may be added any more. */
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
