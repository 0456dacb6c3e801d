/**
 * Reads the responses of one file of another tool. In: its plain bytes in order. Out: responses, each with
 * its request, which may come before or after it. All other records are counted. What always holds:
 * responses keep the order of the file.
 */
import { statSync } from 'node:fs';
import { type ForeignAnswer, type LeftOut, readAnswer, requestHeadOf } from './foreign-exchange.ts';
import { count, type MutableCounts } from './import-counts.ts';
import type { PlainPiece } from './plain-bytes.ts';
import { type ForeignRecord, RecordParser } from './record-parser.ts';

/** A response with its source record and source file. */
export interface FromFile {
  readonly record: ForeignRecord;
  readonly answer: ForeignAnswer;
  readonly from: string;
}

export class ForeignFile {
  records = 0;
  readonly #path: string;
  readonly #counts: MutableCounts;
  readonly #rules: Omit<Parameters<typeof readAnswer>[1], 'fallbackMs'>;
  readonly #parser: RecordParser;
  #read: FromFile[] = [];
  #answer: FromFile | null = null;
  #request: ForeignRecord | null = null;
  /** The date of the last record that had one. Before that, the modification time of the file. */
  #lastMs: number;

  constructor(path: string, rules: Omit<Parameters<typeof readAnswer>[1], 'fallbackMs'>, counts: MutableCounts) {
    this.#path = path;
    this.#counts = counts;
    this.#rules = rules;
    this.#lastMs = Math.floor(statSync(path).mtimeMs);
    this.#parser = new RecordParser({
      onRecord: (record) => this.#take(record),
      onDamage: () => {
        counts.damaged++;
      },
      onTooLarge: () => count(counts.leftOut, 'too-large' satisfies LeftOut),
    });
  }

  take(piece: PlainPiece): FromFile[] {
    if (piece.kind === 'bytes') this.#parser.feed(piece.bytes);
    else if (piece.kind === 'damage') this.#parser.skip();
    else this.#parser.endMember();
    return this.#read.splice(0);
  }

  end(): FromFile[] {
    this.#parser.end();
    this.#finish();
    return this.#read.splice(0);
  }

  #take(record: ForeignRecord): void {
    this.records++;
    if (record.type === 'request') this.#pair(record);
    else if (record.type === 'response' || record.type === 'resource' || record.type === 'revisit') this.#begin(record);
    else count(this.#counts.otherTypes, /^[a-z]{1,20}$/.test(record.type) ? record.type : 'unknown');
  }

  #begin(record: ForeignRecord): void {
    this.#finish();
    const answer = readAnswer(record, { ...this.#rules, fallbackMs: this.#lastMs });
    if (typeof answer === 'string') {
      count(this.#counts.leftOut, answer);
      return;
    }
    if (record.isLengthWrong) this.#counts.wrongLengths++;
    if (answer.isDigestWrong) this.#counts.wrongDigests++;
    if (answer.isDateGuessed) this.#counts.guessedDates++;
    else this.#lastMs = answer.exchange.fetchedAtMs;
    this.#answer = { record, answer, from: this.#path };
    const before = this.#request;
    this.#request = null;
    if (before !== null && belongTogether(before, record)) this.#attach(before);
  }

  #pair(request: ForeignRecord): void {
    if (this.#answer !== null && belongTogether(request, this.#answer.record)) this.#attach(request);
    else this.#request = request;
  }

  #attach(request: ForeignRecord): void {
    const { answer, ...rest } = this.#answer!;
    if (answer.exchange.requestHead !== '') return;
    this.#answer = {
      ...rest,
      answer: { ...answer, exchange: { ...answer.exchange, requestHead: requestHeadOf(request) } },
    };
  }

  #finish(): void {
    if (this.#answer !== null) this.#read.push(this.#answer);
    this.#answer = null;
  }
}

/** Compares the id that one of the records names, or the URLs if neither names an id. */
function belongTogether(request: ForeignRecord, answer: ForeignRecord): boolean {
  const [ofRequest, ofAnswer] = [request.headers, answer.headers];
  const named = [ofRequest.get('warc-concurrent-to'), ofAnswer.get('warc-concurrent-to')];
  if (named[0] !== undefined) return named[0] === ofAnswer.get('warc-record-id');
  if (named[1] !== undefined) return named[1] === ofRequest.get('warc-record-id');
  return ofRequest.get('warc-target-uri') === ofAnswer.get('warc-target-uri');
}
