/**
 * The web interface. In: the copies to show, and the options. Out: a server that answers until it is closed.
 *
 * What always holds: the thread that answers reads no page and compares nothing; reader threads do. Every request
 * passes the gate first. Connections, requests, headers, bodies and times are limited.
 */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import type { ServeOptions } from '../core/options/serve-options.ts';
import { giveOrder } from '../crawl/live/control-file.ts';
import { readRules } from '../crawl/place/data-folder.ts';
import { withStoreAt } from '../crawl/place/open-store.ts';
import { ApiRouter } from './api-router.ts';
import { newArchivedKey } from './archived/archived-address.ts';
import { Copies, type NamedPlace } from './copies.ts';
import { AccessToken } from './gate/access-token.ts';
import { AllowedNames, isLoopback } from './gate/allowed-names.ts';
import { Gate } from './gate/gate.ts';
import { send, sendFault } from './http/answer.ts';
import { faultOf } from './http/api-error.ts';
import { WebFiles } from './http/web-files.ts';
import { RequestMeter } from './metrics/request-meter.ts';
import { RunStarter } from './runs/run-starter.ts';
import type { ServedCopy } from './served-copy.ts';

const MOST_CONNECTIONS = 512;
const MOST_HEADER_BYTES = 16_384;
/** A client that sends its request more slowly is cut off. */
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 15_000;
const IDLE_MS = 10_000;
const CHECK_EVERY_MS = 2_000;
/**
 * The address and the headers of a request are larger than the limit, so there is no request that could be answered.
 */
const TOO_LARGE_JSON = JSON.stringify({
  error: {
    code: 'HEADERS_TOO_LARGE',
    message: `an address and its headers may have at most ${MOST_HEADER_BYTES} bytes`,
  },
});
const HEADERS_TOO_LARGE =
  'HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n' +
  `content-length: ${TOO_LARGE_JSON.length}\r\nconnection: close\r\n\r\n${TOO_LARGE_JSON}`;
/** Secrets with which a site may give pages that it does not give to everybody. */
const CREDENTIALS: readonly string[] = ['header', 'auth'];

export interface Serving {
  readonly places: readonly NamedPlace[];
  readonly options: ServeOptions;
  /** The folder of the built pages; by default that of this program. */
  readonly webFolder?: string;
}

export interface RunningServer {
  /** The address of the interface. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly copies: Copies;
  /** Stops the runs of this server, saves them, and closes everything. */
  close(): Promise<void>;
}

export async function startServer({ places, options, webFolder }: Serving): Promise<RunningServer> {
  refuseOpenHost(options);
  const copies = new Copies(options.readOnly ? await publicPlaces(places) : places, options.newIn);
  const token = new AccessToken(options.token);
  const starter = new RunStarter();
  const files = new WebFiles(webFolder);
  const server = listenerFor(options);
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const isTls = options.tlsCert !== null;
  const host = options.host ?? '127.0.0.1';
  const names = new AllowedNames({ host, port, isTls, proxyNames: options.behindProxy });
  const gate = new Gate({ names, token, isOnLoopback: isLoopback(host), isReadOnly: options.readOnly });
  const meter = new RequestMeter();
  const router = new ApiRouter({ copies, gate, starter, options, archivedKey: newArchivedKey(), meter });
  const answer: RequestListener = (request, response) => {
    meter.watch(request, response);
    const work = async (): Promise<void> => {
      const target = targetOf(request);
      if (router.takes(target.pathname)) return router.answer(request, response, target);
      gate.check(request, 'page');
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        send(response, { status: 405, type: 'text/plain', body: 'GET only' });
      } else files.send(target.pathname === '/' ? '/index.html' : target.pathname, request, response);
    };
    work().catch((error: unknown) => {
      const fault = faultOf(error);
      if (fault.status === 500)
        publish('crawl/warning', { message: `a fault in the web interface: ${(error as Error).stack}` });
      sendFault(response, fault);
    });
  };
  server.on('request', answer);
  const shown =
    options.behindProxy[0] === undefined
      ? `${isTls ? 'https' : 'http'}://${hostInUrl(host)}:${port}`
      : `https://${options.behindProxy[0]}`;
  return {
    ...{ url: `${shown}/`, port, token: token.text, copies },
    close: async () => {
      for (const id of starter.runningIds) stopRun(copies.get(id));
      router.end();
      server.close();
      server.closeAllConnections();
      await Promise.all([starter.ended(), router.closeReaders()]);
    },
  };
}

/** A folder that was removed or filled up meanwhile does not keep the server from closing. */
function stopRun({ place, title }: ServedCopy): void {
  try {
    giveOrder(place.dir, { action: 'stop' });
  } catch (error) {
    publish('crawl/warning', { message: `the run of ${title} cannot be stopped: ${(error as Error).message}` });
  }
}

/** The path and the query of a request. The name in it does not count, because the gate checks the Host header. */
function targetOf({ url = '/' }: IncomingMessage): URL {
  const target = URL.parse(url.startsWith('/') ? url : `/${url}`, 'http://interface');
  return target ?? new URL('http://interface/');
}

/**
 * A published interface shows no pages that were fetched with a login. The store does not know which pages these are,
 * so the whole copy is left out.
 */
async function publicPlaces(places: readonly NamedPlace[]): Promise<NamedPlace[]> {
  const shown: NamedPlace[] = [];
  for (const named of places) {
    const rules = await withStoreAt(named.place, readRules);
    const secrets = rules?.secrets.filter((name) => CREDENTIALS.includes(name)) ?? [];
    if (secrets.length === 0) shown.push(named);
    else
      publish('crawl/warning', {
        message: `${named.place.dir} is not shown with --read-only: its pages were fetched with --${secrets.join(' and --')}`,
      });
  }
  return shown;
}

function refuseOpenHost({ host, tlsCert, tlsKey, behindProxy, readOnly }: ServeOptions): void {
  if ((tlsCert === null) !== (tlsKey === null)) {
    throw new OrbweaverError('ERR_USAGE', '--tls-cert and --tls-key belong together; give both');
  }
  if (isLoopback(host ?? '127.0.0.1') || tlsCert !== null || behindProxy.length > 0) return;
  throw new OrbweaverError(
    'ERR_USAGE',
    `${host} can be reached from other machines, and the token would be sent in the clear; give --tls-cert and --tls-key, ` +
      `or --behind-proxy <name> if a proxy with TLS is in front${readOnly ? '' : '; or listen on 127.0.0.1'}`,
  );
}

function listenerFor({ tlsCert, tlsKey }: ServeOptions): Server {
  const settings = {
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  };
  const server =
    tlsCert === null
      ? createServer(settings)
      : createTlsServer({
          ...settings,
          cert: readFileSync(tlsCert),
          key: readFileSync(tlsKey!),
          minVersion: 'TLSv1.2',
        });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'HPE_HEADER_OVERFLOW' && socket.writable) socket.end(HEADERS_TOO_LARGE);
    else socket.destroy();
  });
  return server;
}

async function listen(server: Server, { host, port }: ServeOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host ?? '127.0.0.1', resolve);
  try {
    await promise;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const next = code === 'EADDRINUSE' ? '; another program uses this port: choose one with --port, or --port 0' : '';
    throw new OrbweaverError('ERR_USAGE', `cannot listen on ${host}:${port}: ${message}${next}`, { cause: error });
  }
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
