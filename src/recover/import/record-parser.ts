/**
 * Parses WARC records from plain bytes (WARC 1.0 and 1.1). In: pieces in order. Out: records with the blocks of the
 * wanted types, and counts of the rest. What always holds: a head or block that is too large is skipped, not buffered.
 * A wrong length costs one record, not the rest of the file. No input makes the parser throw.
 */
export interface ForeignRecord {
  readonly type: string;
  /** Keys are lower case. If a name occurs several times, the first line counts. */
  readonly headers: ReadonlyMap<string, string>;
  readonly block: Buffer;
  /** True if the length of the block differs from the length in the record. */
  readonly isLengthWrong: boolean;
}

export interface ParserEvents {
  readonly onRecord: (record: ForeignRecord) => void;
  /** Called for bytes that are not a record. */
  readonly onDamage: () => void;
  /** Called for a block of a wanted type that is too large. */
  readonly onTooLarge: () => void;
}

const VERSION = Buffer.from('WARC/1.');
const MAX_HEAD_BYTES = 256 * 1024;
const MAX_BLOCK_BYTES = 128 * 1024 * 1024;
const WANTED: readonly string[] = ['response', 'resource', 'revisit', 'request'];
const BLANK_BYTES: readonly number[] = [0x0d, 0x0a];

interface Head {
  readonly headers: ReadonlyMap<string, string>;
  readonly type: string;
  /** Null if the head has no length or the length is not a number. */
  readonly length: number | null;
  readonly isWanted: boolean;
}

export class RecordParser {
  readonly #events: ParserEvents;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Head | null = null;
  /** Number of bytes still to skip of a block that is not wanted. */
  #passOver = 0;

  constructor(events: ParserEvents) {
    this.#events = events;
  }

  feed(piece: Buffer): void {
    const skipped = Math.min(this.#passOver, piece.length);
    this.#passOver -= skipped;
    if (skipped < piece.length) {
      this.#chunks.push(skipped === 0 ? piece : piece.subarray(skipped));
      this.#bytes += piece.length - skipped;
    }
    while (this.#step(false));
  }

  /** Called at the end of a gzip member. An incomplete record ends here too. */
  endMember(): void {
    // Some tools split a record into several members, which no standard allows. The record
    // then ends with its first member.
    while (this.#step(true));
    this.#drop();
  }

  /** Called where bytes are missing. */
  skip(): void {
    this.endMember();
    this.#events.onDamage();
  }

  end(): void {
    this.endMember();
  }

  #drop(): void {
    if (this.#head === null && this.#bytes > 0 && this.#joined().some((byte) => !BLANK_BYTES.includes(byte))) {
      this.#events.onDamage();
    }
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = null;
    this.#passOver = 0;
  }

  /** Returns true if the step made progress and another step may follow. */
  #step(isEnd: boolean): boolean {
    if (this.#head === null) return this.#readHead(isEnd);
    return this.#readBlock(this.#head, isEnd);
  }

  #readHead(isEnd: boolean): boolean {
    if (this.#bytes === 0) return false;
    let bytes = this.#joined();
    let start = 0;
    while (start < bytes.length && BLANK_BYTES.includes(bytes[start]!)) start++;
    bytes = bytes.subarray(start);
    if (!beginsLike(bytes)) {
      const next = bytes.indexOf(VERSION, 1);
      this.#events.onDamage();
      // The last bytes may be the start of the version.
      this.#keep(next >= 0 ? bytes.subarray(next) : isEnd ? EMPTY : bytes.subarray(-VERSION.length));
      return next >= 0;
    }
    const end = headEnd(bytes);
    if (end === null) {
      if (bytes.length > MAX_HEAD_BYTES) {
        this.#events.onDamage();
        const next = bytes.indexOf(VERSION, 1);
        this.#keep(next >= 0 ? bytes.subarray(next) : EMPTY);
        return next >= 0;
      }
      this.#keep(bytes);
      return false;
    }
    this.#head = parseHead(bytes.subarray(0, end.at));
    this.#keep(bytes.subarray(end.next));
    const { length, isWanted } = this.#head;
    if (length === null || (isWanted && length <= MAX_BLOCK_BYTES)) return true;
    if (isWanted) this.#events.onTooLarge();
    else this.#events.onRecord({ ...this.#head, block: EMPTY, isLengthWrong: false });
    this.#head = null;
    const here = Math.min(length, this.#bytes);
    const left = this.#joined().subarray(here);
    this.#keep(left);
    this.#passOver = length - here;
    return this.#passOver === 0;
  }

  #readBlock(head: Head, isEnd: boolean): boolean {
    const { length } = head;
    // The bytes after the block show whether its length is right.
    const needed = length === null ? Number.POSITIVE_INFINITY : length + AFTER_BLOCK_BYTES;
    if (this.#bytes < needed && !isEnd) {
      if (this.#bytes <= MAX_BLOCK_BYTES + AFTER_BLOCK_BYTES) return false;
      this.#events.onTooLarge();
      this.#head = null;
      return true;
    }
    const bytes = this.#joined();
    const isRight = length !== null && length <= bytes.length && isBoundary(bytes.subarray(length));
    const end = isRight ? length : this.#guessEnd(bytes, length);
    this.#events.onRecord({ ...head, block: bytes.subarray(0, end), isLengthWrong: !isRight });
    this.#head = null;
    this.#keep(bytes.subarray(end));
    return true;
  }

  /** Finds the end of a block with a wrong length: before the next record, or at the end of the bytes. */
  #guessEnd(bytes: Buffer, length: number | null): number {
    const next = bytes.indexOf(NEXT_RECORD);
    if (next >= 0) return next;
    return length === null || length > bytes.length ? withoutBlankEnd(bytes) : length;
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  #keep(bytes: Buffer): void {
    this.#chunks = bytes.length === 0 ? [] : [bytes];
    this.#bytes = bytes.length;
  }
}

const EMPTY = Buffer.alloc(0);
const NEXT_RECORD = Buffer.from('\r\n\r\nWARC/1.');
/** Two line ends and the start of the next record. */
const AFTER_BLOCK_BYTES = 4 + VERSION.length;

function beginsLike(bytes: Buffer): boolean {
  const seen = Math.min(bytes.length, VERSION.length);
  return bytes.subarray(0, seen).equals(VERSION.subarray(0, seen));
}

function isBoundary(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length && BLANK_BYTES.includes(bytes[at]!)) at++;
  return at > 0 || bytes.length === 0 ? beginsLike(bytes.subarray(at)) : false;
}

function withoutBlankEnd(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && BLANK_BYTES.includes(bytes[end - 1]!)) end--;
  return end;
}

/** Some tools end lines with LF only. */
export function headEnd(bytes: Buffer): { readonly at: number; readonly next: number } | null {
  const window = bytes.subarray(0, MAX_HEAD_BYTES);
  const crlf = window.indexOf('\r\n\r\n');
  const lf = (crlf < 0 ? window : window.subarray(0, crlf)).indexOf('\n\n');
  if (lf >= 0) return { at: lf, next: lf + 2 };
  return crlf < 0 ? null : { at: crlf, next: crlf + 4 };
}

function parseHead(bytes: Buffer): Head {
  const headers = new Map<string, string>();
  let last = '';
  for (const line of bytes.toString('utf8').split(/\r?\n/).slice(1)) {
    // A line that begins with a space continues the line before (WARC 1.0 §4).
    if (/^[ \t]/.test(line)) {
      if (last !== '') headers.set(last, `${headers.get(last)} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(':');
    last = colon > 0 ? line.slice(0, colon).trim().toLowerCase() : '';
    if (last !== '' && !headers.has(last)) headers.set(last, line.slice(colon + 1).trim());
  }
  const type = (headers.get('warc-type') ?? '').toLowerCase();
  const length = headers.get('content-length') ?? '';
  return {
    headers,
    type,
    length: /^\d{1,15}$/.test(length) ? Number(length) : null,
    isWanted: WANTED.includes(type),
  };
}
