/**
 * One client of server-sent events. What always holds: a slow client does not fill the memory. While its connection
 * cannot take more, figures are left out, because newer ones follow; the stream of changes waits and loses nothing.
 */
import type { ServerResponse } from 'node:http';
import { COMMON_HEADERS } from '../http/answer.ts';

const MOST_BUFFERED_BYTES = 262_144;

export class EventStream {
  readonly #response: ServerResponse;
  /** The number of the last change that the client has; null for a new client, which gets only what comes now. */
  lastChange: number | null;

  constructor(response: ServerResponse, lastChange: number | null) {
    this.#response = response;
    this.lastChange = lastChange;
    response.writeHead(200, {
      ...COMMON_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      // A proxy that gathers the answer would delay all events.
      'x-accel-buffering': 'no',
    });
    response.write('retry: 1000\n\n');
  }

  /** False while the connection cannot take more. */
  get isReady(): boolean {
    return this.#response.writableLength < MOST_BUFFERED_BYTES && !this.#response.destroyed;
  }

  /** `json` has no line breaks. */
  send(event: string, json: string, id?: number): void {
    this.#response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`);
  }

  keepAlive(): void {
    this.#response.write(': still here\n\n');
  }

  end(): void {
    this.#response.end();
  }
}
