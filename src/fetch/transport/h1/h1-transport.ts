import type { Socket } from 'node:net';
import type { Timed } from '../../deadlines.ts';
import type { Exchange } from '../../exchange.ts';
import { CLOSED_CODE } from '../../network-reason.ts';
import type { OutgoingRequest, Transport } from '../transport.ts';
import { Connection, type ConnectionOwner, type ConnectionSettings } from './connection.ts';
import { type DialTarget, dialTarget } from './dialer.ts';

/**
 * HTTP/1.1 to one origin, over a few keep-alive connections. In: a request. Out: the events of its exchange. A request
 * without a free connection waits in a queue.
 *
 * Written by hand because the benchmark says so (bench/parts/fetch.ts, pages of 14 KB from nginx over loopback): a
 * request costs 0.6 of the processor time that it costs with undici's dispatcher (47 against 78 µs; undici's
 * Pool.request alone takes 93, a bare socket that counts bytes 28).
 *
 * What always holds: there are never more than `maxConnections` at once, and no request waits while a connection is
 * idle. While it is unknown whether the server supports HTTP/2, one connection asks and the other requests wait. If the
 * server chooses HTTP/2, the origin and the socket are passed to the transport for HTTP/2.
 */
export interface H1Settings extends ConnectionSettings {
  readonly maxConnections: number;
  /** Creates the transport for an origin that chose HTTP/2, starting with this socket. Null: HTTP/2 is not offered. */
  readonly createH2: ((origin: string, socket: Socket) => Transport) | null;
}

interface Waiting {
  readonly request: OutgoingRequest;
  readonly exchange: Exchange;
}

const CLOSED = Object.assign(new Error('the fetcher was closed'), { code: CLOSED_CODE });

export class H1Transport implements Transport, ConnectionOwner, Timed {
  readonly #settings: H1Settings;
  readonly #target: DialTarget;
  readonly #connections = new Set<Connection>();
  /** The most recently used connection is last: it is the least likely to be stale. */
  readonly #idle: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  #offersH2: boolean;
  #successor: Transport | null = null;
  #onEmpty: (() => void) | null = null;

  constructor(origin: string, settings: H1Settings) {
    this.#settings = settings;
    this.#target = dialTarget(origin);
    this.#offersH2 = this.#target.secure && settings.createH2 !== null;
    settings.deadlines.accompany(this);
  }

  dispatch(request: OutgoingRequest, exchange: Exchange): void {
    if (this.#successor !== null) {
      this.#successor.dispatch(request, exchange);
      return;
    }
    const connection = exchange.wantsFreshConnection ? this.#makeRoom() : this.#takeIdle();
    if (connection !== null) {
      if (!connection.send(request, exchange)) this.onIdle(connection);
      return;
    }
    this.#waiting.push({ request, exchange });
    this.#openMore();
  }

  async close(): Promise<void> {
    await this.#successor?.close();
    if (this.#connections.size > this.#idle.length || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
        this.#dropIdle();
      });
    }
    this.#dropIdle();
    this.#settings.deadlines.leave(this);
  }

  async destroy(): Promise<void> {
    this.#settings.deadlines.leave(this);
    for (const { exchange } of this.#waiting.splice(0)) exchange.fail(CLOSED);
    for (const connection of [...this.#connections]) connection.destroy();
    await this.#successor?.destroy();
  }

  /** Closes connections that have been idle for too long. */
  expire(nowMs: number): void {
    for (const connection of this.#idle.filter((one) => one.isStale(nowMs))) connection.destroy();
  }

  onOpen(connection: Connection): void {
    this.#opening -= 1;
    this.onIdle(connection);
    if (!this.#offersH2) return;
    this.#offersH2 = false;
    this.#openMore();
  }

  onIdle(connection: Connection): void {
    if (connection.wasUsed && this.#waiting[0]?.exchange.wantsFreshConnection) {
      connection.destroy();
      return;
    }
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (connection.send(next.request, next.exchange)) return;
    }
    if (this.#onEmpty !== null) {
      connection.destroy();
      return;
    }
    connection.rest();
    this.#idle.push(connection);
  }

  onH2(connection: Connection, socket: Socket): void {
    this.#opening -= 1;
    this.#connections.delete(connection);
    const successor = this.#settings.createH2!(this.#target.origin, socket);
    this.#successor = successor;
    const waiting = this.#waiting.splice(0).filter(({ exchange }) => !exchange.isOver);
    // If no request is waiting, nobody would own the socket.
    if (waiting.length === 0) socket.destroy();
    for (const { request, exchange } of waiting) successor.dispatch(request, exchange);
    if (this.#onEmpty === null) return;
    const resolve = this.#onEmpty;
    successor.close().then(resolve, resolve);
  }

  onGone(connection: Connection, openError: Error | null, unanswered: boolean): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    if (openError !== null) {
      this.#opening -= 1;
      this.#failWaiting(openError);
    }
    // The server closed one idle connection without an answer, so the other idle connections are probably closed too.
    if (unanswered) this.#dropIdle();
    this.#openMore();
    if (this.#onEmpty !== null && this.#connections.size === 0 && this.#waiting.length === 0) this.#onEmpty();
  }

  /**
   * If another connection serves the queue, no request fails. While other connections are
   * opening, each failure fails only one request.
   */
  #failWaiting(error: Error): void {
    if (this.#connections.size > this.#opening) return;
    const failed = this.#waiting.splice(0, this.#opening > 0 ? 1 : this.#waiting.length);
    for (const { exchange } of failed) exchange.fail(error);
  }

  #openMore(): void {
    const { maxConnections } = this.#settings;
    while (this.#waiting[0]?.exchange.isOver) this.#waiting.shift();
    while (
      this.#opening < this.#waiting.length &&
      this.#connections.size < maxConnections &&
      !(this.#offersH2 && this.#opening > 0)
    ) {
      const connection = new Connection(this, this.#settings, this.#target, this.#offersH2);
      this.#connections.add(connection);
      this.#opening += 1;
      connection.open();
    }
  }

  /** A request that needs a fresh connection may take the place of an idle one. */
  #makeRoom(): null {
    if (this.#connections.size >= this.#settings.maxConnections) this.#idle[0]?.destroy();
    return null;
  }

  #takeIdle(): Connection | null {
    const connection = this.#idle.pop();
    if (connection === undefined) return null;
    if (!connection.isStale(this.#settings.nowMs())) return connection;
    // This was the most recently used connection, so all others are stale too.
    connection.destroy();
    this.#dropIdle();
    return null;
  }

  #dropIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }
}
