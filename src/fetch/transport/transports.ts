import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { createConnector } from './connector.ts';
import type { Deadlines } from './deadlines.ts';
import type { FetchOptions } from './fetch-options.ts';
import type { GuardedLookup } from './guarded-lookup.ts';
import { Dialer } from './h1/dialer.ts';
import { type H1Settings, H1Transport } from './h1/h1-transport.ts';
import { loadUndici } from './load-undici.ts';
import { createProxyDispatcher } from './proxy.ts';
import type { Transport } from './transport.ts';
import { UndiciTransport } from './undici-transport.ts';

/**
 * Which transport speaks for which origin: our own HTTP/1.1 for all, until a server chooses HTTP/2, and undici for those and for
 * everything that goes through a proxy.
 */
export interface Transports {
  readonly createTransport: (origin: string) => Transport;
  /** The one way for all origins; null without a proxy. */
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

/** Begins with the socket on which the server chose HTTP/2, and opens others as it needs them. */
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
  // A single connection needs no pool around it.
  const dispatcher =
    connections === 1
      ? new undici.Client(origin, { ...clientOptions, connect } as Client.Options)
      : new undici.Pool(origin, { ...clientOptions, connections, connect });
  return new UndiciTransport(dispatcher, false);
}

function createProxy(proxy: string, options: FetchOptions): Dispatcher {
  return createProxyDispatcher(proxy, options, undiciOptions(options));
}

/** Idle connections are kept about as long as a polite delay between two requests lasts. */
const KEEP_ALIVE_MS = 10_000;
const KEEP_ALIVE_MAX_MS = 60_000;

function undiciOptions(options: FetchOptions): Pool.Options {
  return {
    connections: options.connectionsPerHost,
    pipelining: 1,
    allowH2: options.allowH2,
    maxHeaderSize: options.maxHeaderBytes,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    // `Deadlines` watches over both; timers of the client's own would only cost.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}
