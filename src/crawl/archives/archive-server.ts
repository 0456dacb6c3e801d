/**
 * Serves the archive files of a worker to other machines, read-only. In: signed requests for ranges of bytes. Out: the
 * bytes.
 *
 * What always holds: only files that the store knows for this machine and this folder are read, and nothing outside
 * that folder. Without a right signature, every answer is the same. Connections, the size of a range and the time of an
 * answer are limited, so a slow reader holds one connection for half a minute at most.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readIntoAsync } from '../../archive/read-bytes.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { ArchivePlace, Store } from '../../store/contract.ts';
import { type ByteRange, isSigned, rangeOf } from './range-request.ts';

const MAX_CONNECTIONS = 32;
const HEAD_WITHIN_MS = 5_000;
/** For a range of a megabyte. */
const ANSWER_WITHIN_MS = 30_000;
const IDLE_MS = 60_000;
const MAX_KNOWN_FILES = 10_000;

export interface ArchiveServerSetup {
  readonly store: Pick<Store, 'archivePlaces'>;
  readonly machine: string;
  readonly folder: string;
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  readonly secret: string;
  readonly limits?: { readonly answerWithinMs: number };
}

export class ArchiveServer {
  readonly #setup: ArchiveServerSetup;
  readonly #server: Server;
  readonly #answerWithinMs: number;
  #known = new Set<string>();
  /** As readers find it in the store: `host:port`. */
  address = '';

  private constructor(setup: ArchiveServerSetup) {
    this.#setup = setup;
    this.#answerWithinMs = setup.limits?.answerWithinMs ?? ANSWER_WITHIN_MS;
    this.#server = createServer({ maxHeaderSize: 4_096, requireHostHeader: true }, (request, response) => {
      void this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.headersTimeout = HEAD_WITHIN_MS;
    this.#server.requestTimeout = HEAD_WITHIN_MS;
    this.#server.keepAliveTimeout = IDLE_MS;
  }

  static async start(setup: ArchiveServerSetup): Promise<ArchiveServer> {
    const one = new ArchiveServer(setup);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    one.#server.once('error', reject).listen(setup.port, setup.host, resolve);
    await promise.catch((cause: Error) => {
      const message = `cannot serve the archive at ${setup.host}:${setup.port} (--serve-archive): ${cause.message}`;
      throw new OrbweaverError('ERR_BAD_OPTION', message, { cause });
    });
    // An error of a later connection ends only this connection.
    one.#server.on('error', () => {});
    const { port } = one.#server.address() as AddressInfo;
    one.address = `${setup.host.includes(':') ? `[${setup.host}]` : setup.host}:${port}`;
    return one;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const timer = setTimeout(() => response.destroy(), this.#answerWithinMs);
    response.once('close', () => clearTimeout(timer));
    const { url: path = '', headers, method } = request;
    if (!isSigned(this.address, this.#setup.secret, { path, headers })) return refuse(response, 401);
    const range = method === 'GET' ? rangeOf(path, headers.range) : null;
    if (range === null) return refuse(response, 400);
    const bytes = (await this.#isOurs(range.file)) ? await this.#read(range) : null;
    if (bytes === null) return refuse(response, 404);
    if (bytes.length === 0) return refuse(response, 416);
    const last = range.from + bytes.length - 1;
    response.writeHead(206, {
      'content-type': 'application/octet-stream',
      'content-length': bytes.length,
      'content-range': `bytes ${range.from}-${last}/*`,
      'cache-control': 'no-store',
    });
    response.end(bytes);
  }

  /** Whether the store knows the file for this folder. A file that it knew once stays ours. */
  async #isOurs(file: string): Promise<boolean> {
    if (this.#known.has(file)) return true;
    const place: ArchivePlace | undefined = (await this.#setup.store.archivePlaces([file])).get(file);
    if (place?.machine !== this.#setup.machine || place.folder !== this.#setup.folder) return false;
    if (this.#known.size >= MAX_KNOWN_FILES) this.#known = new Set();
    this.#known.add(file);
    return true;
  }

  /** Null if the file is gone. Shorter than the range only at the end of the file. */
  async #read({ file, from, length }: ByteRange): Promise<Buffer | null> {
    const path = join(this.#setup.folder, file);
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
    if (handle === null) return null;
    try {
      if (!(await handle.stat()).isFile()) return null;
      return await readIntoAsync(Buffer.allocUnsafe(length), handle, from);
    } finally {
      await handle.close();
    }
  }
}

/** The connection ends, because a body may follow that nobody reads. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0, connection: 'close' }).end();
}
