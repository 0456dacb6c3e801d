import type { Clock } from '../core/clock.ts';
import { type HttpFlaw, NO_FLAWS } from '../core/http-flaws.ts';
import type { BodyBudget, Pausable } from './body/body-budget.ts';
import { BodyPieces } from './body/body-pieces.ts';
import type { Timed } from './deadlines.ts';
import type { FetchOptions } from './fetch-options.ts';
import type { FetchReason } from './fetch-reasons.ts';
import { type FailurePoint, isDisconnect, networkReason } from './network-reason.ts';
import type { Truncation } from './outcome.ts';

/** Limits of one exchange. */
export type ExchangeLimits = Pick<
  FetchOptions,
  | 'headersTimeoutMs'
  | 'bodyTimeoutMs'
  | 'totalTimeoutMs'
  | 'maxBodyBytes'
  | 'maxHeaderBytes'
  | 'maxLongBodyBytes'
  | 'isLongKind'
>;

/** The parts that all exchanges of one fetcher share. */
export interface ExchangeParts {
  readonly clock: Clock;
  readonly budget: BodyBudget;
  readonly limits: ExchangeLimits;
  /** Called just before a request is written. */
  readonly maySend: () => boolean;
}

/** The connection or stream that carries a request. The request on it can be aborted. */
export interface Carrier extends Pausable {
  abort(): void;
}

/** Enough to recognise the kind of a body. */
const BEGINNING_BYTES = 8_192;

type Phase = 'waiting' | 'headers' | 'body' | 'done';

/**
 * One request in progress. A transport reports its events to this object. It collects the response, counts bytes and
 * gives up at the limits. The fetcher interprets the response.
 *
 * What always holds: `onDone` is called exactly once, whatever happens and in whatever order.
 */
export class Exchange implements Timed, Pausable {
  readonly startedAtMs: number;
  firstByteAtMs = 0;
  status = 0;
  statusText = '';
  rawHeaders: readonly string[] = [];
  readonly body = new BodyPieces();
  truncated: Truncation | null = null;
  /** The network error, if there was one. */
  reason: FetchReason | null = null;
  /** The request head without credentials, so that it may be shown. */
  requestHead = '';
  ip: string | null = null;
  isH2 = false;
  /** The rules of HTTP that the response broke. */
  flaws: readonly HttpFlaw[] = NO_FLAWS;
  /** Transfer codings besides chunked, which are removed from the complete body. '' in nearly all responses. */
  transferCodings = '';
  /** The next request for the URL will send other cookies than this one did. */
  changesCookies = false;
  /** The body is larger than usual, because it is of a long kind. */
  isLong = false;

  readonly #parts: ExchangeParts;
  readonly #route: Pick<FailurePoint, 'secure' | 'proxied'>;
  readonly #onDone: (exchange: Exchange) => void;
  readonly #sendAgain: (exchange: Exchange) => void;
  #maxBodyBytes: number;
  #phase: Phase = 'waiting';
  #carrier: Carrier | null = null;
  #reusedConnection = false;
  #sentTwice = false;
  #sinceMs = 0;
  #bytesSeen = 0;
  #isPaused = false;

  constructor(
    parts: ExchangeParts,
    route: Pick<FailurePoint, 'secure' | 'proxied'>,
    onDone: (exchange: Exchange) => void,
    sendAgain: (exchange: Exchange) => void,
  ) {
    this.#parts = parts;
    this.#maxBodyBytes = parts.limits.maxBodyBytes;
    this.#route = route;
    this.#onDone = onDone;
    this.#sendAgain = sendAgain;
    this.startedAtMs = parts.clock.now();
  }

  /** True if the exchange timed out while it waited for a connection, or ended for another reason. */
  get isOver(): boolean {
    return this.#phase === 'done';
  }

  /** True if the first attempt met a connection that the server had closed. */
  get wantsFreshConnection(): boolean {
    return this.#sentTwice;
  }

  /** Called when a connection is available. Returns false if the exchange no longer needs it. */
  begin(carrier: Carrier): boolean {
    // Connecting may have taken long, so the permission to send may have ended.
    if (!this.#parts.maySend()) this.abandon();
    if (this.isOver) return false;
    this.#carrier = carrier;
    this.#phase = 'headers';
    this.#sinceMs = this.#parts.clock.now();
    return true;
  }

  sent(requestHead: string, ip: string | null, isH2: boolean, reusedConnection: boolean): void {
    this.requestHead = requestHead;
    this.ip = ip;
    this.isH2 = isH2;
    this.#reusedConnection = reusedConnection;
  }

  firstByte(): void {
    if (this.firstByteAtMs === 0) this.firstByteAtMs = this.#parts.clock.now();
  }

  answered(status: number, statusText: string, rawHeaders: readonly string[]): void {
    if (this.#phase === 'done') return;
    this.status = status;
    this.statusText = statusText;
    this.rawHeaders = rawHeaders;
    this.#phase = 'body';
    this.#sinceMs = this.#parts.clock.now();
    // Over HTTP/1.1, the size of the head was checked before it was parsed.
    if (this.isH2 && headerBytes(rawHeaders) > this.#parts.limits.maxHeaderBytes) this.#stop('headers-too-large', null);
  }

  /** Receives a part of the body in a buffer that may be kept. */
  received(chunk: Buffer): void {
    if (this.#phase === 'done') return;
    const room = this.#roomFor(chunk, 0, chunk.length);
    if (chunk.length <= room) {
      this.body.add(chunk);
      this.#parts.budget.grew(this, chunk.length);
      return;
    }
    if (room > 0) this.body.add(chunk.subarray(0, room));
    this.#stop('body-too-large', 'length');
  }

  /** Receives a part of the body in a buffer that will be reused. */
  receivedIn(bytes: Buffer, from: number, to: number, moreToCome: number): void {
    if (this.#phase === 'done') return;
    const room = this.#roomFor(bytes, from, to);
    if (to - from <= room) {
      this.body.copy(bytes, from, to, Math.min(moreToCome, room - (to - from)));
      this.#parts.budget.grew(this, to - from);
      return;
    }
    this.body.copy(bytes, from, from + room, 0);
    this.#stop('body-too-large', 'length');
  }

  /** The bytes that the body may still have. A body that reaches its limit may be of a kind with a higher limit. */
  #roomFor(bytes: Buffer, from: number, to: number): number {
    if (this.body.bytes + to - from > this.#maxBodyBytes)
      this.#maxBodyBytes = this.#longLimit(bytes.subarray(from, to));
    return this.#maxBodyBytes - this.body.bytes;
  }

  #longLimit(arriving: Buffer): number {
    const { maxLongBodyBytes, isLongKind } = this.#parts.limits;
    if (maxLongBodyBytes <= this.#maxBodyBytes) return this.#maxBodyBytes;
    const beginning = [this.body.beginning(BEGINNING_BYTES), arriving.subarray(0, BEGINNING_BYTES)];
    this.isLong = isLongKind(Buffer.concat(beginning));
    return this.isLong ? maxLongBodyBytes : this.#maxBodyBytes;
  }

  /** Called when the response is complete. */
  finish(): void {
    if (this.#phase === 'done') return;
    this.#phase = 'done';
    if (!this.isLong) this.#parts.budget.ended(this);
    this.#carrier = null;
    this.#onDone(this);
  }

  /** A long body counts until it is released, so that the next one is received after it was processed. */
  released(): void {
    this.#parts.budget.ended(this);
  }

  /** Called when the connection was lost during the exchange. */
  lost(error: unknown): void {
    if (this.#phase === 'done') return;
    if (this.firstByteAtMs === 0 && isDisconnect(error) && this.#mayRepeat()) this.#repeat();
    else this.fail(error);
  }

  /**
   * Called when the received bytes are not a response. On a connection that was used before, they may be the rest of
   * the earlier response, which was longer than its server announced.
   */
  misread(reason: FetchReason): void {
    if (this.#phase === 'done') return;
    if (reason === 'bad-response' && this.#mayRepeat()) this.#repeat();
    else this.refuse(reason);
  }

  /** Called when the request could not be made, or failed. */
  fail(error: unknown): void {
    if (this.#phase === 'done') return;
    this.refuse(networkReason(error, { ...this.#route, sent: this.#phase !== 'waiting' }));
  }

  /** Called when the received bytes are not a response, or only the beginning of one. */
  refuse(reason: FetchReason): void {
    if (this.#phase === 'done') return;
    this.reason = reason;
    if (this.status > 0) this.truncated = 'disconnect';
    this.finish();
  }

  /** Called when nobody needs the response any more. */
  abandon(): void {
    this.#stop('connection-reset', 'disconnect');
  }

  expire(nowMs: number): void {
    if (nowMs - this.startedAtMs >= this.#parts.limits.totalTimeoutMs) {
      this.#stop('total-timeout', 'time');
    } else if (this.#phase === 'headers') {
      if (nowMs - this.#sinceMs >= this.#parts.limits.headersTimeoutMs) this.#stop('headers-timeout', null);
    } else if (this.#phase === 'body') {
      // A server that we have paused is not silent.
      if (this.body.bytes !== this.#bytesSeen || this.#isPaused) {
        this.#bytesSeen = this.body.bytes;
        this.#sinceMs = nowMs;
      } else if (nowMs - this.#sinceMs >= this.#parts.limits.bodyTimeoutMs) this.#stop('body-timeout', 'time');
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#carrier?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#carrier?.resume();
  }

  #stop(reason: FetchReason, truncated: Truncation | null): void {
    if (this.#phase === 'done') return;
    this.reason = reason;
    if (this.status > 0) this.truncated = truncated;
    const carrier = this.#carrier;
    this.finish();
    carrier?.abort();
  }

  /**
   * The server closed an idle connection just when we used it, or the connection has bytes of an earlier response.
   * Nobody is at fault, and no response was received.
   */
  #mayRepeat(): boolean {
    return this.#phase === 'headers' && this.#reusedConnection && !this.#sentTwice;
  }

  #repeat(): void {
    this.#sentTwice = true;
    this.#phase = 'waiting';
    this.#carrier = null;
    this.firstByteAtMs = 0;
    this.flaws = NO_FLAWS;
    this.#sendAgain(this);
  }
}

function headerBytes(flat: readonly string[]): number {
  let bytes = 0;
  for (const text of flat) bytes += text.length;
  return bytes;
}
