import type { Socket } from 'node:net';
import type { Deadlines, Timed } from '../../deadlines.ts';
import type { Carrier, Exchange } from '../../exchange.ts';
import { CLOSED_CODE, DISCONNECTED_CODE } from '../../network-reason.ts';
import type { OutgoingRequest } from '../transport.ts';
import type { Dialer, DialTarget } from './dialer.ts';
import type { ResponseHead } from './response-head.ts';
import { type ResponseListener, ResponseParser } from './response-parser.ts';

/** The owner of a connection. It is told about the state of the connection. */
export interface ConnectionOwner {
  /** The connection can take its first request. */
  onOpen(connection: Connection): void;
  /** The server chose HTTP/2. The owner takes over the socket, and the connection no longer listens to it. */
  onH2(connection: Connection, socket: Socket): void;
  /** The connection can take another request. */
  onIdle(connection: Connection): void;
  /**
   * The connection has ended. `openError`: the reason why it never opened. `unanswered`:
   * it was lost while a request had no response.
   */
  onGone(connection: Connection, openError: Error | null, unanswered: boolean): void;
}

export interface ConnectionSettings {
  readonly dialer: Dialer;
  readonly deadlines: Deadlines;
  readonly nowMs: () => number;
  readonly maxHeadBytes: number;
}

/** Idle connections are kept about as long as a polite delay between two requests. */
export const KEEP_ALIVE_MS = 10_000;
export const KEEP_ALIVE_MAX_MS = 60_000;
/** We close the connection this much earlier than the server announced, so that no request meets the server's close. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

const DISCONNECTED = Object.assign(new Error('the other side closed'), { code: DISCONNECTED_CODE });
const CLOSED = Object.assign(new Error('the connection was closed'), { code: CLOSED_CODE });

/**
 * One socket, from dialing to its end, with one exchange at a time. Bytes from the socket go to the parser, and the
 * results of the parser go to the exchange.
 *
 * What always holds: the owner is told `onGone` or `onH2` exactly once. An exchange that began here ends here.
 * Unexpected bytes end the connection.
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
    // Runs before all other listeners, so that not even the TLS ClientHello goes to an address that is not allowed.
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

  /** Writes a request. Returns false if its exchange is already over. */
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

  get wasUsed(): boolean {
    return this.#wasUsed;
  }

  /** Marks the connection as idle. An idle connection does not keep the process alive. */
  rest(): void {
    this.#idleSinceMs = this.#settings.nowMs();
    this.#socket?.unref();
  }

  isStale(nowMs: number): boolean {
    return nowMs - this.#idleSinceMs >= this.#keepAliveMs;
  }

  /** Checks the connect timeout. Exchanges check their own timeouts. */
  expire(nowMs: number): void {
    if (this.#isOpen || nowMs - this.#openedAtMs < this.#settings.dialer.connectTimeoutMs) return;
    this.#lose(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
  }

  /** Called by the exchange when it gives up. */
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

  /** Closes the connection and ends the exchange on it. */
  destroy(): void {
    this.#lose(CLOSED);
  }

  onHead(head: ResponseHead): void {
    const { keepAliveMs } = head;
    if (keepAliveMs >= 0) {
      const untilMs = Math.max(keepAliveMs - KEEP_ALIVE_MARGIN_MS, keepAliveMs / 2);
      this.#keepAliveMs = Math.min(KEEP_ALIVE_MAX_MS, untilMs);
    }
    const exchange = this.#exchange;
    if (exchange === null) return;
    if (head.transferCodings !== '') exchange.transferCodings = head.transferCodings;
    exchange.answered(head.status, head.statusText, head.rawHeaders);
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
    // If a limit was exceeded, the exchange has already detached from this connection.
    if (this.#exchange === exchange) this.#judge(exchange);
  }

  #onEnd(): void {
    // A handshake that breaks off reports its own error.
    if (!this.#isOpen) return;
    const exchange = this.#exchange;
    // Before the first byte it may be a keep-alive race, which the exchange recognizes.
    if (exchange !== null && exchange.firstByteAtMs !== 0) {
      this.#parser.end();
      this.#judge(exchange);
    }
    this.#lose(DISCONNECTED);
  }

  /** Acts on the state of the parser. */
  #judge(exchange: Exchange): void {
    const parser = this.#parser;
    exchange.flaws = parser.flaws;
    if (parser.state === 'failed') {
      this.#exchange = null;
      this.#lose(CLOSED);
      exchange.misread(parser.fault ?? 'bad-response');
    } else if (parser.state === 'done') {
      this.#exchange = null;
      // The next request is sent before this response is processed.
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
