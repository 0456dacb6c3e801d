import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import type { Timed } from './deadlines.ts';
import type { FetchReason } from './fetch-reasons.ts';
import { type FailurePoint, isDisconnect, networkReason } from './network-reason.ts';
import type { HeaderRecord, Truncation } from './outcome.ts';
import { announceStart, type SentListener } from './sent-request.ts';

/** What an exchange may cost. */
export interface ExchangeLimits {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
}

type Phase = 'waiting' | 'headers' | 'body' | 'done';

/** Sockets that have carried a request before. */
const usedSockets = new WeakSet<Socket>();

const STOP = new Error('the exchange is over');

/**
 * One request on the wire: the handler that the HTTP client calls. It gathers, counts and gives up; what the answer
 * means is for the fetcher to say.
 *
 * What always holds: `onDone` is called exactly once, whatever comes and in whatever order.
 */
export class Exchange implements Dispatcher.DispatchHandler, SentListener, Timed {
  readonly startedAtMs: number;
  firstByteAtMs = 0;
  status = 0;
  statusText = '';
  headers: HeaderRecord = {};
  rawHeaders: string[] = [];
  body: Buffer[] = [];
  bodyBytes = 0;
  truncated: Truncation | null = null;
  /** What the network did wrong, if anything. */
  reason: FetchReason | null = null;
  sentHead = '';
  ip: string | null = null;
  isH2 = false;

  readonly #clock: Clock;
  readonly #limits: ExchangeLimits;
  readonly #route: Pick<FailurePoint, 'secure' | 'proxied'>;
  readonly #onDone: (exchange: Exchange) => void;
  readonly #sendAgain: (exchange: Exchange) => void;
  #phase: Phase = 'waiting';
  #controller: Dispatcher.DispatchController | null = null;
  #reusedSocket = false;
  #sentTwice = false;
  #sinceMs = 0;
  #bytesSeen = 0;

  constructor(
    clock: Clock,
    limits: ExchangeLimits,
    route: Pick<FailurePoint, 'secure' | 'proxied'>,
    onDone: (exchange: Exchange) => void,
    sendAgain: (exchange: Exchange) => void,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#route = route;
    this.#onDone = onDone;
    this.#sendAgain = sendAgain;
    this.startedAtMs = clock.now();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It timed out while it waited for a connection.
    if (this.#phase === 'done') {
      controller.abort(STOP);
      return;
    }
    this.#controller = controller;
    this.#phase = 'headers';
    this.#sinceMs = this.#clock.now();
    announceStart(this);
  }

  onSent(head: string, socket: Socket): void {
    this.sentHead = head;
    this.ip = this.#route.proxied ? null : (socket.remoteAddress ?? null);
    this.isH2 = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
    this.#reusedSocket = usedSockets.has(socket);
    if (!this.#reusedSocket) usedSockets.add(socket);
  }

  onResponseStarted(): void {
    if (this.firstByteAtMs === 0) this.firstByteAtMs = this.#clock.now();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: HeaderRecord,
    statusText?: string,
  ): void {
    // Interim answers (1xx) announce the real one.
    if (this.#phase === 'done' || status < 200) return;
    this.status = status;
    this.statusText = statusText ?? '';
    this.headers = headers;
    this.rawHeaders = flattenHeaders(controller.rawHeaders, headers);
    this.#phase = 'body';
    this.#sinceMs = this.#clock.now();
    if (this.isH2 && headerBytes(this.rawHeaders) > this.#limits.maxHeaderBytes) this.#stop('headers-too-large', null);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#phase === 'done') return;
    const room = this.#limits.maxBodyBytes - this.bodyBytes;
    if (chunk.length > room) {
      if (room > 0) this.#keep(chunk.subarray(0, room));
      this.#stop('body-too-large', 'length');
      return;
    }
    this.#keep(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#phase === 'done') return;
    if (this.#isKeepAliveRace(error)) {
      this.#sentTwice = true;
      this.#phase = 'waiting';
      this.#controller = null;
      this.#sendAgain(this);
      return;
    }
    this.fail(error);
  }

  /** The request could not be made, or broke. */
  fail(error: unknown): void {
    if (this.#phase === 'done') return;
    this.reason = networkReason(error, { ...this.#route, sent: this.#phase !== 'waiting' });
    if (this.status > 0) this.truncated = 'disconnect';
    this.#finish();
  }

  expire(nowMs: number): void {
    if (nowMs - this.startedAtMs >= this.#limits.totalTimeoutMs) {
      this.#stop('total-timeout', 'time');
    } else if (this.#phase === 'headers') {
      if (nowMs - this.#sinceMs >= this.#limits.headersTimeoutMs) this.#stop('headers-timeout', null);
    } else if (this.#phase === 'body') {
      if (this.bodyBytes !== this.#bytesSeen) {
        this.#bytesSeen = this.bodyBytes;
        this.#sinceMs = nowMs;
      } else if (nowMs - this.#sinceMs >= this.#limits.bodyTimeoutMs) this.#stop('body-timeout', 'time');
    }
  }

  #keep(chunk: Buffer): void {
    this.body.push(chunk);
    this.bodyBytes += chunk.length;
  }

  #stop(reason: FetchReason, truncated: Truncation | null): void {
    if (this.#phase === 'done') return;
    this.reason = reason;
    if (this.status > 0) this.truncated = truncated;
    const controller = this.#controller;
    this.#finish();
    controller?.abort(STOP);
  }

  #finish(): void {
    if (this.#phase === 'done') return;
    this.#phase = 'done';
    this.#controller = null;
    this.#onDone(this);
  }

  /** The server closed an idle connection at the very moment we used it: nobody's fault, and nothing was answered. */
  #isKeepAliveRace(error: Error): boolean {
    return (
      this.#phase === 'headers' &&
      this.firstByteAtMs === 0 &&
      this.#reusedSocket &&
      !this.#sentTwice &&
      isDisconnect(error)
    );
  }
}

/** HTTP/1 gives names and values as bytes in the order of arrival, HTTP/2 a record. */
function flattenHeaders(raw: unknown, headers: HeaderRecord): string[] {
  const flat: string[] = [];
  if (Array.isArray(raw)) {
    for (const part of raw) flat.push(typeof part === 'string' ? part : (part as Buffer).toString('latin1'));
    return flat;
  }
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (Array.isArray(value)) for (const one of value) flat.push(name, one);
    else if (value !== undefined) flat.push(name, value);
  }
  return flat;
}

function headerBytes(flat: readonly string[]): number {
  let bytes = 0;
  for (const text of flat) bytes += text.length;
  return bytes;
}
