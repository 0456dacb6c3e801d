/**
 * The archive folder of a worker on another machine, which serves it (archive-server.ts). In: ranges of its files. Out:
 * their bytes.
 *
 * What always holds: an answer is limited in size and time. The bytes are not trusted: who reads a record checks its
 * digests, as for a file. A server that does not answer is not asked again for a while.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import type { RemoteArchive } from '../../archive/warc-reader.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { safeText } from '../../core/safe-text.ts';
import { MAX_RANGE_BYTES, requestFor } from './range-request.ts';

const ANSWER_WITHIN_MS = 10_000;
const SILENT_FOR_MS = 30_000;
const ADDRESS = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9][A-Za-z0-9.-]{0,252})):(\d{1,5})$/;
const MEANINGS: Readonly<Record<number, string>> = {
  401: 'it refused the token: ORBWEAVER_ARCHIVE_TOKEN must be the same on all machines',
  404: 'it does not have the file',
};

const agent = new Agent({ keepAlive: true, maxSockets: 4, timeout: SILENT_FOR_MS });
/** By address: why it could not be reached, and until when this counts. */
const silent = new Map<string, { readonly problem: string; readonly untilMs: number }>();

/** Splits `host:port`, or returns null. */
export function addressParts(address: string): { readonly host: string; readonly port: number } | null {
  const [, v6, name, port] = ADDRESS.exec(address) ?? [];
  const host = v6 ?? name;
  return host === undefined || Number(port) > 65_535 ? null : { host, port: Number(port) };
}

export class RemoteFolder implements RemoteArchive {
  readonly #address: string;
  readonly #secret: string;

  /** `address`: `host:port`. */
  constructor(address: string, secret: string) {
    this.#address = address;
    this.#secret = secret;
  }

  async read(file: string, from: number, length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let got = 0; got < length; ) {
      const wanted = Math.min(MAX_RANGE_BYTES, length - got);
      const piece = await this.#readRange(file, from + got, wanted);
      pieces.push(piece);
      got += piece.length;
      if (piece.length < wanted) break;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  async #readRange(file: string, from: number, length: number): Promise<Buffer> {
    const known = silent.get(this.#address);
    if (known !== undefined && performance.now() < known.untilMs) throw this.#unread(file, known.problem);
    try {
      return await this.#ask(file, from, length);
    } catch (error) {
      if (error instanceof OrbweaverError) throw error;
      const problem = (error as Error).message || String((error as NodeJS.ErrnoException).code);
      silent.set(this.#address, { problem, untilMs: performance.now() + SILENT_FOR_MS });
      throw this.#unread(file, problem);
    }
  }

  async #ask(file: string, from: number, length: number): Promise<Buffer> {
    const { host, port } = addressParts(this.#address)!;
    const { path, headers } = requestFor(this.#address, this.#secret, { file, from, length });
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request({ agent, host, port, path, headers, signal, maxHeaderSize: 4_096 }, resolve).once('error', reject).end();
    const response = await promise;
    const { statusCode = 0 } = response;
    if (statusCode !== 206) {
      response.destroy();
      if (statusCode === 416) return Buffer.alloc(0);
      throw this.#unread(file, MEANINGS[statusCode] ?? `it answered with status ${statusCode}`);
    }
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      if (filled + piece.length > length) {
        response.destroy();
        throw this.#unread(file, 'it sent more than was asked');
      }
      filled += piece.copy(bytes, filled);
    }
    return bytes.subarray(0, filled);
  }

  #unread(file: string, problem: string): OrbweaverError {
    const message = `${file} cannot be read from the worker that serves it at ${this.#address}: ${problem}`;
    return new OrbweaverError('ERR_ELSEWHERE', safeText(message));
  }
}
