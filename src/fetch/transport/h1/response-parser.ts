import { type HttpFlaw, NO_FLAWS } from '../../../core/http-flaws.ts';
import { ChunkedDecoder, type ContentListener } from './chunked-decoder.ts';
import { parseFlawedHead } from './flawed-head.ts';
import { HeadCollector, splitLoosely } from './head-collector.ts';
import { isBodiless, parseResponseHead, type ResponseHead } from './response-head.ts';

/**
 * Parses the responses of one connection, one after the other. In: pieces of any size. Out: the head, slices of the
 * body and the end, reported to the listener. Interim responses (1xx) are read and dropped. The parser has no socket
 * and no timer, and keeps none of the pieces.
 *
 * What always holds: the way the bytes are divided into pieces affects only the slices. After a fault or the end,
 * nothing more is reported until `start`. A response with a flaw is read with tolerance, but only after the strict
 * reading has failed, and its connection is not reusable.
 */
export interface ResponseListener {
  onHead(head: ResponseHead): void;
  /** `moreToCome` is the minimum number of bytes that will follow. The listener must not keep the bytes. */
  onBody(bytes: Buffer, from: number, to: number, moreToCome: number): void;
}

export type ParserFault = 'bad-response' | 'headers-too-large' | 'connection-reset';

export type ParserState = 'head' | 'body' | 'done' | 'failed';

/** Limits the interim responses before the real one, so that a server cannot send them for ever. */
const MAX_INTERIM = 32;

const PREFIX = Buffer.from('http/');
const CR = 0x0d;
const LF = 0x0a;

export class ResponseParser {
  state: ParserState = 'done';
  fault: ParserFault | null = null;
  /** The connection may be used again: both sides want to keep it, and the end of the response is certain. */
  reusable = false;
  /** The flaws of the response so far. */
  flaws: readonly HttpFlaw[] = NO_FLAWS;

  readonly #listener: ResponseListener;
  readonly #onContent: ContentListener;
  readonly #collector: HeadCollector;
  readonly #maxHeadBytes: number;
  #chunked: ChunkedDecoder | null = null;
  #head: ResponseHead | null = null;
  #left = 0;
  #interim = 0;
  #isHead = false;
  #bodiless = false;

  constructor(listener: ResponseListener, maxHeadBytes: number) {
    this.#listener = listener;
    this.#maxHeadBytes = maxHeadBytes;
    this.#collector = new HeadCollector(maxHeadBytes);
    this.#onContent = (bytes, from, to, moreToCome) => listener.onBody(bytes, from, to, moreToCome);
  }

  /** Called when a request was sent. `isHead`: its response has no body, whatever its headers say. */
  start(isHead = false): void {
    this.state = 'head';
    this.fault = null;
    this.reusable = false;
    this.flaws = NO_FLAWS;
    this.#isHead = isHead;
    this.#interim = 0;
    this.#collector.reset();
  }

  /** Called when the listener needs no more of the response. */
  stop(): void {
    this.state = 'done';
    this.reusable = false;
  }

  /**
   * Reads the first `length` bytes. If bytes are left after the end of the response, the connection cannot be reused.
   */
  feed(bytes: Buffer, length: number): void {
    let at = 0;
    while (at < length && this.state === 'head') at = this.#readHead(bytes, at, length);
    if (at < length && this.state === 'body') at = this.#readBody(bytes, at, length);
    if (at < length) this.reusable = false;
  }

  /** Called when the other side has closed the connection. */
  end(): void {
    if (this.state === 'head' && !this.#collector.isEmpty) this.#readCutHead(this.#collector.heldLines);
    else if (this.state === 'body' && this.#endsWithConnection()) this.#finish();
    if (this.state === 'head' || this.state === 'body') this.#fail('connection-reset');
  }

  #readHead(bytes: Buffer, from: number, length: number): number {
    let at = from;
    // Empty lines before the status line are a known error of servers (RFC 9112 §2.2 describes it for clients).
    while (this.#collector.isEmpty && at < length && (bytes[at] === CR || bytes[at] === LF)) at += 1;
    if (at === length) return length;
    const heldBefore = this.#collector.heldBytes;
    const end = this.#collector.feed(bytes, at, length);
    if (end === -1) return this.#readUnfinished(at - heldBefore, length);
    const { text } = this.#collector;
    const head = parseResponseHead(text);
    if (head !== null) {
      this.#takeHead(head);
      return end;
    }
    // The blank line that was found may be in the body, if the head has line feeds alone.
    const earlier = splitLoosely(text);
    this.#takeFlawed(earlier?.head ?? text, earlier !== null);
    return earlier === null ? end : at - heldBefore + earlier.bytes;
  }

  /** There is no CR LF CR LF yet. `headAt` is the index of the first byte of the head, if it were in this piece. */
  #readUnfinished(headAt: number, length: number): number {
    if (!this.#heldBeginsWell()) {
      this.#fail('bad-response', 'not-http');
      return length;
    }
    const bytes = this.#collector.takeLoosely();
    if (bytes !== -1) {
      this.#takeFlawed(this.#collector.text, true);
      return headAt + bytes;
    }
    if (this.#collector.isFull) this.#fail('headers-too-large');
    return length;
  }

  #takeFlawed(text: string, hasLooseEnd: boolean): void {
    const head = parseFlawedHead(text);
    if (typeof head === 'string') {
      this.#fail('bad-response', head);
      return;
    }
    if (hasLooseEnd) this.#note(['line-end']);
    this.#takeHead(head);
  }

  #takeHead(head: ResponseHead): void {
    if (head.flaws.length > 0) this.#note(head.flaws);
    // 101 ends HTTP on this connection. Nobody asked for it, so it is the last response here.
    if (head.status >= 200 || head.status === 101) {
      this.#begin(head);
      return;
    }
    this.#interim += 1;
    if (this.#interim > MAX_INTERIM) this.#fail('bad-response', 'too-many-interim');
  }

  /** As in curl, the complete lines of a head that is cut off are taken. What is missing may be important. */
  #readCutHead(lines: string): void {
    if (lines === '') return;
    const strict = parseResponseHead(lines);
    const head = strict ?? parseFlawedHead(lines);
    if (typeof head === 'string') this.#fail('bad-response', head);
    else if (head.status >= 200) {
      this.#note([...head.flaws, 'head-cut']);
      this.#begin(head);
    }
  }

  /** Whether the body is complete if the connection ends now. */
  #endsWithConnection(): boolean {
    if (this.#head!.framing !== 'chunked') return this.#head!.framing === 'until-close';
    if (!this.#chunked!.hasLastChunk) return false;
    this.#note(['trailer']);
    return true;
  }

  #begin(head: ResponseHead): void {
    this.#head = head;
    this.state = 'body';
    this.#left = head.contentLength;
    this.#listener.onHead(head);
    // The listener may have stopped the parser.
    if (this.state !== 'body') return;
    this.#bodiless = this.#isHead || (isBodiless(head.status) && head.status !== 101);
    if (this.#bodiless || (head.framing === 'length' && this.#left === 0)) this.#finish();
    else if (head.framing === 'chunked') {
      this.#chunked ??= new ChunkedDecoder(this.#maxHeadBytes);
      this.#chunked.reset();
    }
  }

  #readBody(bytes: Buffer, from: number, length: number): number {
    const framing = this.#head!.framing;
    if (framing === 'chunked') return this.#readChunked(bytes, from, length);
    if (framing === 'until-close') {
      this.#listener.onBody(bytes, from, length, 0);
      return length;
    }
    const end = Math.min(length, from + this.#left);
    this.#left -= end - from;
    this.#listener.onBody(bytes, from, end, this.#left);
    if (this.#left === 0 && this.state === 'body') this.#finish();
    return end;
  }

  #readChunked(bytes: Buffer, from: number, length: number): number {
    const decoder = this.#chunked!;
    const at = decoder.feed(bytes, from, length, this.#onContent);
    if (this.state !== 'body') return at;
    if (decoder.flaws.size > 0) this.#note([...decoder.flaws]);
    if (decoder.broken) this.#fail('bad-response', 'bad-chunk');
    else if (decoder.done) this.#finish();
    return at;
  }

  #finish(): void {
    const head = this.#head!;
    this.state = 'done';
    this.reusable = head.keepAlive && this.flaws.length === 0 && (this.#bodiless || head.framing !== 'until-close');
    // A server that announces a body for a 204 will probably send it (RFC 9110 §8.6).
    if (head.status === 204 && (head.contentLength > 0 || head.framing === 'chunked')) this.reusable = false;
    this.#head = null;
  }

  #fail(fault: ParserFault, flaw?: HttpFlaw): void {
    if (flaw !== undefined) this.#note([flaw]);
    this.state = 'failed';
    this.fault = fault;
    this.reusable = false;
    this.#head = null;
  }

  #note(flaws: readonly HttpFlaw[]): void {
    this.flaws = [...new Set([...this.flaws, ...flaws])];
  }

  #heldBeginsWell(): boolean {
    for (let i = 0; i < PREFIX.length; i++) {
      const byte = this.#collector.heldByte(i);
      if (byte !== -1 && (byte | 0x20) !== PREFIX[i]) return false;
    }
    return true;
  }
}
