/**
 * What a command prints, on either stream, shown line by line with its name in front: never on our standard output, which
 * belongs to the result of the run. Bounded in size, read to the end all the same so that the command is not held up, and
 * without characters that a terminal obeys: a command is free to print what a page wrote.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { safeText } from '../../core/safe-text.ts';
import { cut } from './cut.ts';

const MAX_SHOWN_CHARS = 16_000;
const MAX_SHOWN_LINES = 100;
const MAX_LINE_CHARS = 1_000;

export class CommandOutput {
  readonly #say: (line: string) => void;
  readonly #streams: readonly LineStream[];
  readonly #child: ChildProcessWithoutNullStreams;
  #shownChars = 0;
  #shownLines = 0;
  #hiddenLines = 0;
  #lastError = '';

  constructor(child: ChildProcessWithoutNullStreams, say: (line: string) => void) {
    this.#say = say;
    this.#child = child;
    const errors = new LineStream((line) => {
      this.#show(line);
      this.#lastError = line;
    });
    const prints = new LineStream((line) => this.#show(line));
    this.#streams = [errors, prints];
    child.stderr.on('data', (piece: Buffer) => errors.push(piece)).on('end', () => errors.end());
    child.stdout.on('data', (piece: Buffer) => prints.push(piece)).on('end', () => prints.end());
  }

  /** The last line on its standard error: most often the reason of a failure. */
  get lastError(): string {
    return this.#lastError;
  }

  /** Nothing more is of interest. */
  close(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    for (const stream of this.#streams) stream.end();
    if (this.#hiddenLines > 0) this.#say(`on-change: … and ${this.#hiddenLines} more lines`);
    this.#hiddenLines = 0;
  }

  #show(line: string): void {
    if (line === '') return;
    if (this.#shownLines >= MAX_SHOWN_LINES || this.#shownChars + line.length > MAX_SHOWN_CHARS) {
      this.#hiddenLines++;
      return;
    }
    this.#shownChars += line.length;
    this.#shownLines++;
    this.#say(`on-change: ${line}`);
  }
}

/** Bytes to lines; of a line that does not end, only the beginning is kept. */
class LineStream {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #line = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(piece: Buffer): void {
    this.#take(this.#decoder.write(piece));
  }

  end(): void {
    this.#take(this.#decoder.end());
    if (this.#line !== '') this.#finishLine();
  }

  #take(text: string): void {
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      this.#grow(text, from, to);
      this.#finishLine();
      from = to + 1;
    }
    this.#grow(text, from, text.length);
  }

  #grow(text: string, from: number, to: number): void {
    // One more than is shown: then it can be told that something is missing.
    const room = MAX_LINE_CHARS + 1 - this.#line.length;
    if (room > 0) this.#line += text.slice(from, Math.min(to, from + room));
  }

  #finishLine(): void {
    this.#onLine(safeText(cut(this.#line, MAX_LINE_CHARS)));
    this.#line = '';
  }
}
