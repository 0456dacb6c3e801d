/**
 * A small HTTP server for the report, for sites whose web server does not serve it. All times and numbers are limited.
 */

import { once } from 'node:events';
import { lstat, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { answerText } from './answer.ts';
import { FairSlots } from './fair-slots.ts';
import type { ReportHandler } from './handler.ts';

export type ListenAt = { readonly host: string; readonly port: number } | { readonly socketPath: string };

const SERVER_LIMITS = {
  maxConnections: 512,
  maxHeaderBytes: 16_384,
  /** Time from the first byte of a request to the end of its head, and to the end of the request. */
  headersMs: 10_000,
  requestMs: 15_000,
  /** Time without any traffic on a connection. */
  idleMs: 30_000,
  keepAliveMs: 5_000,
  maxRequestsPerSocket: 1_000,
  /** Time for running responses when the server closes. */
  graceMs: 5_000,
};
export type ServerLimits = Readonly<typeof SERVER_LIMITS>;

const IDLE_CHECK_MS = 20;

export class ReportServer {
  readonly server: Server;
  readonly #graceMs: number;

  private constructor(server: Server, graceMs: number) {
    this.server = server;
    this.#graceMs = graceMs;
  }

  /** Rejects if the address is in use or does not belong to this machine. */
  static async listen(handler: ReportHandler, at: ListenAt, given: Partial<ServerLimits> = {}): Promise<ReportServer> {
    const limits = { ...SERVER_LIMITS, ...given };
    const server = createServer({
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      keepAliveTimeout: limits.keepAliveMs,
    });
    limitConnections(server, limits.maxConnections);
    server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
    server.timeout = limits.idleMs;
    server.on('request', (request, response) => {
      if (!handler(request, response)) answerText(request, response, 404, 'Not found.\n');
    });
    server.on('clientError', answerGarbage);
    if ('socketPath' in at) {
      await removeStaleSocket(at.socketPath);
      // The web server runs as another user, and connecting needs write permission. This
      // allows no more than a local port does.
      server.listen({ path: at.socketPath, writableAll: true });
    } else server.listen(at.port, at.host);
    await once(server, 'listening');
    return new ReportServer(server, limits.graceMs);
  }

  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Finishes running responses, up to the time limit. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    // Repeated, because a connection becomes idle only some time after its response was sent.
    const idle = setInterval(() => this.server.closeIdleConnections(), IDLE_CHECK_MS);
    const all = setTimeout(() => this.server.closeAllConnections(), this.#graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(all);
  }
}

/**
 * If there are too many connections, the address with the most connections loses its oldest one; an
 * address that itself has the most gets no more.
 */
function limitConnections(server: Server, most: number): void {
  const slots = new FairSlots(most);
  server.on('connection', (socket: Socket) => {
    const leave = slots.take(socket.remoteAddress ?? 'socket', () => socket.destroy());
    if (leave === null) socket.destroy();
    else socket.once('close', leave);
  });
}

const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers invalid HTTP once and closes the connection. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  // A response may be running on this connection, and a second one would corrupt it.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** Removes the socket of a killed watcher. A socket in use is left alone, and listening then fails. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isSocket()) return;
  const probe = createConnection(path);
  const connected = await once(probe, 'connect').catch(() => null);
  probe.destroy();
  if (connected === null) await rm(path, { force: true });
}
