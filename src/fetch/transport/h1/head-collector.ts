/**
 * Collects bytes up to a blank line: the head of a response, or the trailer of a chunked body. In: pieces of any size.
 * Out: the text before the blank line. Most heads arrive in one piece and are never copied as bytes.
 *
 * What always holds: at most `maxBytes` are held, and each byte is read a limited
 * number of times, however small the pieces are.
 */
const CR = 0x0d;
const LF = 0x0a;
const LINE_END = Buffer.from('\r\n');
const FIRST_CAPACITY_BYTES = 1024;

export class HeadCollector {
  /** The lines, each with its CR LF, without the blank line. Set when `feed` has returned an index. */
  text = '';

  readonly #maxBytes: number;
  #held: Buffer | null = null;
  #heldBytes = 0;
  /** The beginning of the last held line, and the first held byte that was not searched for its end. */
  #lineStart = 0;
  #searched = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#heldBytes === 0;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** True if the maximum number of bytes is held and there is no blank line among them. */
  get isFull(): boolean {
    return this.#heldBytes >= this.#maxBytes;
  }

  /** The held bytes up to the last complete line. */
  get heldLines(): string {
    if (this.#held === null) return '';
    const lastLineFeed = this.#held.lastIndexOf(LF, this.#heldBytes - 1);
    return this.#held.toString('latin1', 0, lastLineFeed + 1);
  }

  /** One of the held bytes, or -1 if the index is too large. */
  heldByte(index: number): number {
    return index < this.#heldBytes ? (this.#held?.[index] ?? -1) : -1;
  }

  /** Begins as if a line end had been read. A trailer may be empty, and then it consists of the blank line only. */
  startAfterLine(): void {
    this.reset();
    this.#hold(LINE_END, 0, LINE_END.length);
    this.#lineStart = LINE_END.length;
  }

  reset(): void {
    this.#release();
    this.text = '';
  }

  /**
   * Looks among the held bytes for a blank line that is not CR LF CR LF. As in curl, lines end with LF, and a line that
   * begins with CR or LF is blank. Returns the number of bytes up to the end of that line, and holds nothing
   * afterwards. -1 if there is no such line.
   */
  takeLoosely(): number {
    const held = this.#held!.subarray(0, this.#heldBytes);
    for (;;) {
      const lineFeed = held.indexOf(LF, Math.max(this.#searched, this.#lineStart));
      if (lineFeed === -1) {
        this.#searched = this.#heldBytes;
        return -1;
      }
      const first = held[this.#lineStart];
      if (first === CR || first === LF) {
        this.text = held.toString('latin1', 0, this.#lineStart);
        this.#release();
        return lineFeed + 1;
      }
      this.#lineStart = lineFeed + 1;
    }
  }

  /**
   * The index after the blank line. -1 if the blank line has not arrived yet, or
   * if it did not arrive within `maxBytes`.
   */
  feed(bytes: Buffer, from: number, to: number): number {
    if (this.#heldBytes === 0) {
      const end = afterBlankLine(bytes, from, Math.min(to, from + this.#maxBytes));
      if (end === -1) this.#hold(bytes, from, to);
      else this.text = bytes.toString('latin1', from, end - 2);
      return end;
    }
    const before = this.#heldBytes;
    this.#hold(bytes, from, to);
    const end = afterBlankLine(this.#held!, Math.max(0, before - 3), this.#heldBytes);
    if (end === -1) return -1;
    this.text = this.#held!.toString('latin1', 0, end - 2);
    this.#release();
    return from + end - before;
  }

  #release(): void {
    this.#heldBytes = 0;
    this.#lineStart = 0;
    this.#searched = 0;
  }

  #hold(bytes: Buffer, from: number, to: number): void {
    const count = Math.min(to - from, this.#maxBytes - this.#heldBytes);
    const needed = this.#heldBytes + count;
    if (this.#held === null || this.#held.length < needed) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_CAPACITY_BYTES, needed * 2));
      this.#held?.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#heldBytes, from, from + count);
    this.#heldBytes = needed;
  }
}

/** Splits a text at its first blank line. As in `takeLoosely`, but for a text that was collected before. */
export function splitLoosely(text: string): { readonly head: string; readonly bytes: number } | null {
  const at = text.search(/\n[\r\n]/);
  return at === -1 ? null : { head: text.slice(0, at + 1), bytes: text.indexOf('\n', at + 1) + 1 };
}

/**
 * The index after the first CR LF CR LF, or -1. Looks at every fourth byte, and
 * at its neighbours only if it is CR or LF.
 */
function afterBlankLine(bytes: Buffer, from: number, to: number): number {
  let at = from + 3;
  while (at < to) {
    const byte = bytes[at]!;
    if (byte === LF) {
      if (bytes[at - 1] === CR && bytes[at - 2] === LF && bytes[at - 3] === CR) return at + 1;
      at += 2;
    } else at += byte === CR ? 1 : 4;
  }
  return -1;
}
