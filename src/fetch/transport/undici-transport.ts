import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Carrier, Exchange } from './exchange.ts';
import { announceStart, requestHeadText, type SentListener } from './sent-request.ts';
import type { OutgoingRequest, Transport } from './transport.ts';

/** Sockets that have carried a request before. */
const usedSockets = new WeakSet<Socket>();

const STOP = new Error('the exchange is over');

/** What is not ordinary HTTP/1.1 goes by undici: HTTP/2, and everything through a proxy. */
export class UndiciTransport implements Transport {
  readonly #dispatcher: Dispatcher;
  readonly #proxied: boolean;

  constructor(dispatcher: Dispatcher, proxied: boolean) {
    this.#dispatcher = dispatcher;
    this.#proxied = proxied;
  }

  dispatch({ origin, path, headers }: OutgoingRequest, exchange: Exchange): void {
    const options: Dispatcher.DispatchOptions = { origin, path, method: 'GET', headers: headers as string[] };
    try {
      this.#dispatcher.dispatch(options, new UndiciHandler(exchange, this.#proxied));
    } catch (error) {
      exchange.fail(error);
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.close().catch(() => {});
  }

  async destroy(): Promise<void> {
    await this.#dispatcher.destroy().catch(() => {});
  }
}

/** What undici calls, in the words of an exchange. */
class UndiciHandler implements Dispatcher.DispatchHandler, SentListener {
  readonly #exchange: Exchange;
  readonly #proxied: boolean;

  constructor(exchange: Exchange, proxied: boolean) {
    this.#exchange = exchange;
    this.#proxied = proxied;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#exchange.begin(carrierOf(controller))) {
      controller.abort(STOP);
      return;
    }
    announceStart(this);
  }

  onSent(head: string, socket: Socket): void {
    const isH2 = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
    const ip = this.#proxied ? null : (socket.remoteAddress ?? null);
    this.#exchange.sent(requestHeadText(head, isH2), ip, isH2, usedSockets.has(socket));
    usedSockets.add(socket);
  }

  onResponseStarted(): void {
    this.#exchange.firstByte();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    statusText?: string,
  ): void {
    // Interim answers (1xx) announce the real one.
    if (status < 200) return;
    this.#exchange.answered(status, statusText ?? '', flattenHeaders(controller.rawHeaders, headers));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#exchange.received(chunk);
  }

  onResponseEnd(): void {
    this.#exchange.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#exchange.lost(error);
  }
}

function carrierOf(controller: Dispatcher.DispatchController): Carrier {
  return {
    abort: () => controller.abort(STOP),
    pause: () => controller.pause(),
    resume: () => controller.resume(),
  };
}

/** HTTP/1 gives names and values as bytes in the order of arrival, HTTP/2 a record. */
function flattenHeaders(raw: unknown, headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
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
