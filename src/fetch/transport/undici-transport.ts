import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Carrier, Exchange } from '../exchange.ts';
import type { OutgoingRequest, Transport } from './transport.ts';

/** Sockets that have already carried a request. */
const usedSockets = new WeakSet<Socket>();

const STOP = new Error('the exchange is over');

/** Sends requests with undici: HTTP/2, and everything through a proxy. */
export class UndiciTransport implements Transport {
  readonly #dispatcher: Dispatcher;
  readonly #proxied: boolean;

  constructor(dispatcher: Dispatcher, proxied: boolean) {
    this.#dispatcher = dispatcher;
    this.#proxied = proxied;
  }

  dispatch({ origin, path, headers, secrets }: OutgoingRequest, exchange: Exchange): void {
    const options: Dispatcher.DispatchOptions = { origin, path, method: 'GET', headers: headers as string[] };
    try {
      this.#dispatcher.dispatch(options, new UndiciHandler(exchange, secrets, this.#proxied));
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

/** Translates the callbacks of undici to the methods of an exchange. */
class UndiciHandler implements Dispatcher.DispatchHandler, SentListener {
  readonly #exchange: Exchange;
  readonly #secrets: ReadonlySet<string>;
  readonly #proxied: boolean;

  constructor(exchange: Exchange, secrets: ReadonlySet<string>, proxied: boolean) {
    this.#exchange = exchange;
    this.#secrets = secrets;
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
    this.#exchange.sent(requestHeadText(head, isH2, this.#secrets), ip, isH2, usedSockets.has(socket));
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
    // Interim responses (1xx) come before the real one.
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

/** For HTTP/1, names and values are bytes in the order of arrival. For HTTP/2, they are a record. */
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

/**
 * Captures the head of a request as it was written, and its socket. undici does not pass them to its handlers, but
 * publishes both on its diagnostics channel, synchronously, between the start of a handler and its return. So a
 * starting handler announces itself, and the next message on the channel is about it.
 */
interface SentListener {
  onSent(head: string, socket: Socket): void;
}

let starting: SentListener | null = null;

diagnostics.subscribe('undici:client:sendHeaders', (message) => {
  const listener = starting;
  if (listener === null) return;
  starting = null;
  const { headers, socket } = message as { headers: string; socket: Socket };
  listener.onSent(headers, socket);
});

function announceStart(listener: SentListener): void {
  starting = listener;
}

/**
 * "GET /x HTTP/1.1" and the headers without the secret ones, each line with its CR LF. An HTTP/2 request is written in
 * the same form.
 */
function requestHeadText(head: string, isH2: boolean, secrets: ReadonlySet<string>): string {
  if (head === '') return '';
  const isSecret = (line: string): boolean => secrets.has(line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase());
  const lines = head.split('\r\n').filter((line) => line !== '' && !isSecret(line));
  return `${(isH2 ? linesFromH2(lines) : lines).join('\r\n')}\r\n`;
}

function linesFromH2(lines: readonly string[]): string[] {
  const pseudo = new Map<string, string>();
  const rest: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(': ', 1);
    if (line.startsWith(':')) pseudo.set(line.slice(0, colon), line.slice(colon + 2));
    else rest.push(line);
  }
  const authority = pseudo.get(':authority') ?? '';
  return [`${pseudo.get(':method') ?? 'GET'} ${pseudo.get(':path') ?? '/'} HTTP/1.1`, `host: ${authority}`, ...rest];
}
