import type { Socket } from 'node:net';
import type { Deadlines, Timed } from '../deadlines.ts';
import type { Carrier, Exchange } from '../exchange.ts';
import { CLOSED_CODE, DISCONNECTED_CODE } from '../network-reason.ts';
import type { OutgoingRequest } from '../transport.ts';
import type { Dialer, DialTarget } from './dialer.ts';
import type { ResponseHead } from './response-head.ts';
import { type ResponseListener, ResponseParser } from './response-parser.ts';

/** Who a connection belongs to. */
export interface ConnectionOwner {
  /** It can take its first request. */
  onOpen(connection: Connection): void;
  /** The server chose HTTP/2: the socket is the owner's now, and the connection listens to it no more. */
  onH2(connection: Connection, socket: Socket): void;
  /** It can take another request. */
  onIdle(connection: Connection): void;
  /** It is gone. `openError`: it never was open, and why. `unanswered`: it was lost with a request that was not answered. */
  onGone(connection: Connection, openError: Error | null, unanswered: boolean): void;
}

export interface ConnectionSettings {
  readonly dialer: Dialer;
  readonly deadlines: Deadlines;
  readonly nowMs: () => number;
  readonly maxHeadBytes: number;
}

/** Idle connections are kept about as long as a polite delay between two requests lasts. */
const KEEP_ALIVE_MS = 10_000;
const KEEP_ALIVE_MAX_MS = 60_000;
/** We hang up this much before the server said it would, so that a request does not cross its goodbye. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

const DISCONNECTED = Object.assign(new Error('the other side closed'), { code: DISCONNECTED_CODE });
const CLOSED = Object.assign(new Error('the connection was closed'), { code: CLOSED_CODE });

/**
 * One socket, from the dialing to its end, with one exchange at a time on it. What the socket reads goes to the parser, and
 * what the parser finds to the exchange.
 *
 * What always holds: the owner hears `onGone` or `onH2` once; an exchange that was begun here is ended here; bytes that
 * nobody asked for end the connection.
 */
export class Connection implements Carrier, ResponseListener, Timed {
  readonly #owner: ConnectionOwner;
  readonly #settings: ConnectionSettings;
  readonly #target: DialTarget;
  readonly #offersH2: boolean;
  readonly #parser: ResponseParser;
  readonly #openedAtMs: number;
  #socket: Socket | null = null;
  #exchange: Exchange | null = null;
  #ip: string | null = null;
  #isOpen = false;
  #isGone = false;
  #wasUsed = false;
  #keepAliveMs = KEEP_ALIVE_MS;
  #idleSinceMs = 0;

  constructor(owner: ConnectionOwner, settings: ConnectionSettings, target: DialTarget, offersH2: boolean) {
    this.#owner = owner;
    this.#settings = settings;
    this.#target = target;
    this.#offersH2 = offersH2;
    this.#parser = new ResponseParser(this, settings.maxHeadBytes);
    this.#openedAtMs = settings.nowMs();
  }

  open(): void {
    const { dialer, deadlines } = this.#settings;
    const socket = dialer.dial(this.#target, this.#offersH2, (length, bytes) => this.#onBytes(length, bytes));
    if (socket instanceof Error) {
      queueMicrotask(() => this.#lose(socket));
      return;
    }
    this.#socket = socket;
    deadlines.add(this);
    // Before all others: not even the greeting of TLS goes to an address that is not allowed.
    socket.prependOnceListener('connect', () => {
      const refusal = dialer.connectedError(this.#target, socket);
      if (refusal !== null) this.#lose(refusal);
      else if (!this.#target.secure) this.#onOpen(socket);
    });
    if (this.#target.secure) socket.once('secureConnect', () => this.#onOpen(socket));
    socket.on('error', (error) => this.#lose(error));
    socket.on('end', () => this.#onEnd());
    socket.on('close', () => this.#lose(DISCONNECTED));
  }

  /** Writes a request; false when its exchange is over already. */
  send(request: OutgoingRequest, exchange: Exchange): boolean {
    if (!exchange.begin(this)) return false;
    const socket = this.#socket!;
    const line = `GET ${request.path} HTTP/1.1\r\n`;
    if (this.#wasUsed) socket.ref();
    this.#exchange = exchange;
    this.#parser.start();
    exchange.sent(line + request.archivedLines, this.#ip, false, this.#wasUsed);
    this.#wasUsed = true;
    socket.write(`${line}${request.lines}\r\n`, 'latin1');
    return true;
  }

  /** Nothing to do for now: an idle connection does not keep the process alive. */
  rest(): void {
    this.#idleSinceMs = this.#settings.nowMs();
    this.#socket?.unref();
  }

  isStale(nowMs: number): boolean {
    return nowMs - this.#idleSinceMs >= this.#keepAliveMs;
  }

  /** Time is up for connecting. Exchanges look after themselves. */
  expire(nowMs: number): void {
    if (this.#isOpen || nowMs - this.#openedAtMs < this.#settings.dialer.connectTimeoutMs) return;
    this.#lose(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
  }

  /** The exchange has had enough. */
  abort(): void {
    this.#exchange = null;
    this.#lose(CLOSED);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Ends it, and what is under way on it. */
  destroy(): void {
    this.#lose(CLOSED);
  }

  onHead(head: ResponseHead): void {
    const { keepAliveMs } = head;
    if (keepAliveMs >= 0) {
      const untilMs = Math.max(keepAliveMs - KEEP_ALIVE_MARGIN_MS, keepAliveMs / 2);
      this.#keepAliveMs = Math.min(KEEP_ALIVE_MAX_MS, untilMs);
    }
    this.#exchange?.answered(head.status, head.statusText, head.rawHeaders);
  }

  onBody(bytes: Buffer, from: number, to: number, moreToCome: number): void {
    this.#exchange?.receivedIn(bytes, from, to, moreToCome);
  }

  #onOpen(socket: Socket): void {
    if (this.#isGone) return;
    this.#isOpen = true;
    this.#settings.deadlines.delete(this);
    if (this.#offersH2) {
      if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2') {
        this.#isGone = true;
        this.#socket = null;
        this.#owner.onH2(this, socket);
        return;
      }
      socket.on('data', (bytes: Buffer) => this.#onBytes(bytes.length, bytes));
    }
    this.#ip = socket.remoteAddress ?? null;
    this.#owner.onOpen(this);
  }

  #onBytes(length: number, bytes: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === null) {
      this.#lose(DISCONNECTED);
      return;
    }
    exchange.firstByte();
    this.#parser.feed(bytes, length);
    // A limit was passed, and the exchange let go of us.
    if (this.#exchange === exchange) this.#judge(exchange);
  }

  #onEnd(): void {
    // A handshake that breaks off has an error of its own to tell.
    if (!this.#isOpen) return;
    const exchange = this.#exchange;
    // Before anything came it may be a race, which is for the exchange to judge.
    if (exchange !== null && exchange.firstByteAtMs !== 0) {
      this.#parser.end();
      this.#judge(exchange);
    }
    this.#lose(DISCONNECTED);
  }

  /** What the parser has come to. */
  #judge(exchange: Exchange): void {
    const parser = this.#parser;
    if (parser.state === 'failed') {
      this.#exchange = null;
      this.#lose(CLOSED);
      exchange.refuse(parser.fault ?? 'bad-response');
    } else if (parser.state === 'done') {
      this.#exchange = null;
      // The next request is on its way before this answer is worked on.
      if (parser.reusable && !this.#isGone) this.#owner.onIdle(this);
      else this.#lose(CLOSED);
      exchange.finish();
    }
  }

  #lose(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const { deadlines, dialer } = this.#settings;
    const exchange = this.#exchange;
    const openError = this.#isOpen ? null : error;
    this.#exchange = null;
    this.#parser.stop();
    this.#socket?.destroy();
    deadlines.delete(this);
    if (openError !== null) dialer.failed(this.#target);
    this.#owner.onGone(this, openError, exchange !== null && exchange.firstByteAtMs === 0);
    exchange?.lost(error);
  }
}
