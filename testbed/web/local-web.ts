import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { BEHAVIOURS, type BehaviourName } from './behaviours.ts';
import { Ledger } from './ledger.ts';
import { TEST_CERTIFICATE } from './test-certificate.ts';

/**
 * A web for tests: a real server on a loopback address and a free port. In: behaviours for paths. Out: answers, good
 * and bad. Every named behaviour is mounted at `/<its name>` from the start.
 *
 * What always holds: every request is in the ledger; `close` ends everything at once, also with clients that hang.
 */
export interface Visit {
  /** Path and query of the request. */
  readonly path: string;
  readonly origin: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** For answers that no HTTP library would send. */
  readonly socket: Socket;
}

export type Behaviour = (visit: Visit) => void;

export interface WebOptions {
  /** Any address of 127.0.0.0/8. Each address is a separate host. */
  readonly address?: string;
  /** Several webs may share one ledger. */
  readonly ledger?: Ledger;
  readonly tls?: 'http/1.1' | 'h2';
}

export interface LocalWeb {
  readonly origin: string;
  /** Address and port, which is the name of the host in the ledger. */
  readonly host: string;
  readonly ledger: Ledger;
  /** Sockets that are open now. */
  readonly connections: number;
  /** All connections that were ever accepted. */
  readonly accepted: number;
  url(path: string): string;
  /** The URL at which a named behaviour is mounted. */
  bad(name: BehaviourName): string;
  /** Mounts a behaviour at a path (without query), or with `prefix*` at every path that begins with `prefix`. */
  on(path: string, behaviour: Behaviour): void;
  close(): Promise<void>;
}

export async function startWeb(options: WebOptions = {}): Promise<LocalWeb> {
  const ledger = options.ledger ?? new Ledger();
  const exact = new Map<string, Behaviour>();
  const prefixes: { readonly prefix: string; readonly behaviour: Behaviour }[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  let origin = '';

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    const host = request.headers.host ?? String(request.headers[':authority'] ?? '');
    response.on('close', ledger.begin(host, path, request.headers));
    const name = path.split('?', 1)[0]!;
    const behaviour = exact.get(name) ?? prefixes.find(({ prefix }) => name.startsWith(prefix))?.behaviour ?? notFound;
    behaviour({ path, origin, request, response, socket: request.socket });
  };

  const server = createServer(options.tls, answer);
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, options.address ?? '127.0.0.1', resolve));
  const { address, port } = server.address() as AddressInfo;
  const host = `${address}:${port}`;
  origin = `${options.tls ? 'https' : 'http'}://${host}`;
  for (const [name, create] of Object.entries(BEHAVIOURS)) exact.set(`/${name}`, create());

  return {
    origin,
    host,
    ledger,
    get connections() {
      return sockets.size;
    },
    get accepted() {
      return accepted;
    },
    url: (path) => origin + path,
    bad: (name) => `${origin}/${name}`,
    on(path, behaviour) {
      if (path.endsWith('*')) prefixes.push({ prefix: path.slice(0, -1), behaviour });
      else exact.set(path, behaviour);
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}

export function reply(body: string | Buffer, headers: Record<string, string> = {}, status = 200): Behaviour {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body);
  };
}

const notFound: Behaviour = reply('<h1>not found</h1>', {}, 404);

function createServer(tls: WebOptions['tls'], answer: (q: IncomingMessage, a: ServerResponse) => void): Server {
  if (tls === undefined) return http.createServer({ keepAliveTimeout: 60_000 }, answer);
  if (tls === 'http/1.1') return https.createServer({ ...TEST_CERTIFICATE, keepAliveTimeout: 60_000 }, answer);
  const server = http2.createSecureServer({ ...TEST_CERTIFICATE, allowHTTP1: false });
  // The compatibility layer of http2 gives objects of the same shape.
  server.on('request', (request, response) =>
    answer(request as unknown as IncomingMessage, response as unknown as ServerResponse),
  );
  return server;
}
