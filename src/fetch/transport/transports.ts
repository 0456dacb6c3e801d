import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool, ProxyAgent } from 'undici';
import type { GuardedLookup } from '../addresses/guarded-lookup.ts';
import type { Deadlines } from '../deadlines.ts';
import type { FetchOptions } from '../fetch-options.ts';
import { createConnector, loadUndici } from './connector.ts';
import { KEEP_ALIVE_MAX_MS, KEEP_ALIVE_MS } from './h1/connection.ts';
import { Dialer } from './h1/dialer.ts';
import { type H1Settings, H1Transport } from './h1/h1-transport.ts';
import type { Transport } from './transport.ts';
import { UndiciTransport } from './undici-transport.ts';

/**
 * Chooses the transport for an origin: our own HTTP/1.1 client, or undici if the server
 * chooses HTTP/2 or the request goes through a proxy.
 */
export interface Transports {
  readonly createTransport: (origin: string) => Transport;
  /** The transport for all origins if there is a proxy, otherwise null. */
  readonly proxy: Transport | null;
}

export function createTransports(
  options: FetchOptions,
  guard: GuardedLookup,
  deadlines: Deadlines,
  nowMs: () => number,
): Transports {
  const settings: H1Settings = {
    dialer: new Dialer(guard, options),
    deadlines,
    nowMs,
    maxHeadBytes: options.maxHeaderBytes,
    maxConnections: options.connectionsPerHost,
    createH2: options.allowH2
      ? (origin, socket) => createH2Transport(origin, socket, createConnector(origin, guard, options), options)
      : null,
  };
  return {
    createTransport: (origin) => new H1Transport(origin, settings),
    proxy: options.proxy === null ? null : new UndiciTransport(createProxy(options.proxy, options), true),
  };
}

/** Starts with the socket on which the server chose HTTP/2, and opens more if necessary. */
function createH2Transport(
  origin: string,
  socket: Socket,
  connector: buildConnector.connector,
  options: FetchOptions,
): Transport {
  let first: Socket | null = socket;
  const connect: buildConnector.connector = (target, callback) => {
    const opened = first;
    first = null;
    if (opened !== null && !opened.destroyed) callback(null, opened);
    else connector(target, callback);
  };
  const undici = loadUndici();
  const { connections, ...clientOptions } = undiciOptions(options);
  // A single connection needs no pool.
  const dispatcher =
    connections === 1
      ? new undici.Client(origin, { ...clientOptions, connect } as Client.Options)
      : new undici.Pool(origin, { ...clientOptions, connections, connect });
  return new UndiciTransport(dispatcher, false);
}

function undiciOptions(options: FetchOptions): Pool.Options {
  return {
    connections: options.connectionsPerHost,
    pipelining: 1,
    allowH2: options.allowH2,
    maxHeaderSize: options.maxHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    // `Deadlines` checks both timeouts, so timers of the client would only cost time.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/**
 * Sends requests through a proxy: http pages are requested by their full URL, https pages through a CONNECT tunnel. The
 * proxy resolves the names and makes the connections, so the address of the connection cannot be checked here. The
 * fetcher checks each origin with `GuardedLookup.proxiedError` before it sends a request.
 */
function createProxy(proxy: string, options: FetchOptions): Dispatcher {
  const undici = loadUndici();
  const poolOptions = undiciOptions(options);
  return new undici.ProxyAgent({
    ...poolOptions,
    uri: proxy,
    connectTimeout: options.connectTimeoutMs,
    allowH2: options.allowH2,
    requestTls: {
      rejectUnauthorized: options.rejectUnauthorized,
      allowH2: options.allowH2,
    } as ProxyAgent.Options['requestTls'],
    factory: (origin, theirs) => new undici.Pool(origin, { ...poolOptions, ...(theirs as Pool.Options) }),
  });
}
