/**
 * Shows the output of a command, from both streams, line by line with a prefix. It never goes to our standard output,
 * which belongs to the result of the run. The shown output is limited in size, but all of it is read, so that the
 * command does not block. Control characters are removed, because a command may print text from a page.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { safeText } from '../../core/safe-text.ts';
import { cut } from '../../core/text/truncate-text.ts';

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

  /** The last line on standard error, which is usually the reason for a failure. */
  get lastError(): string {
    return this.#lastError;
  }

  /** Ends the reading of both streams. */
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

/** Splits bytes into lines. Only the beginning of a very long line is kept. */
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
    // One character more than is shown: then `cut` can mark the line as cut.
    const room = MAX_LINE_CHARS + 1 - this.#line.length;
    if (room > 0) this.#line += text.slice(from, Math.min(to, from + room));
  }

  #finishLine(): void {
    this.#onLine(safeText(cut(this.#line, MAX_LINE_CHARS)));
    this.#line = '';
  }
}
