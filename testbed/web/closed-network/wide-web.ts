/**
 * The web inside a closed network: listeners for every address on the ports of http and https, and a proxy that really
 * connects to the requested target. Out: every accepted connection, with the address that it was made to.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** These addresses play the public web. A public crawl must not reach any other address. */
export const PUBLIC_ADDRESSES = ['8.8.4.4', '2606:4700:4700::1111'] as const;
/** The user typed the proxy's address, so it may be private. Connections to it are not counted. */
export const PROXY = { address: '127.0.0.1', port: 3128 } as const;

export interface SitePage {
  readonly body?: string;
  readonly redirectTo?: string;
  readonly type?: string;
}

/** Undefined if the page does not exist. */
export type Site = (host: string, path: string) => SitePage | undefined;

export class WideWeb {
  /** The addresses of all accepted connections, including public ones. */
  readonly accepted: string[] = [];
  /** The targets that clients requested from the proxy. */
  readonly proxied: string[] = [];
  site: Site = () => undefined;
  readonly #servers: Server[] = [];

  static async start(): Promise<WideWeb> {
    const web = new WideWeb();
    const count = (socket: Socket) => {
      web.accepted.push((socket.localAddress ?? 'unknown').replace(/^::ffff:/, ''));
      socket.on('error', () => {});
    };
    for (const host of ['0.0.0.0', '::']) {
      await web.#listen(createServer((request, response) => web.#answer(request, response)).on('connection', count), {
        host,
        port: 80,
      });
      // The server refuses the TLS handshake, because only the connection counts.
      await web.#listen(createTcpServer((socket) => socket.destroy()).on('connection', count), { host, port: 443 });
    }
    const proxy = createServer((request, response) => web.#forward(request, response));
    proxy.on('connect', (request, socket: Socket) => web.#tunnel(request, socket));
    await web.#listen(proxy, { host: PROXY.address, port: PROXY.port });
    return web;
  }

  /** Connections since the last call that went to an address that is not public. */
  takeWrong(): string[] {
    return this.accepted.splice(0).filter((address) => !(PUBLIC_ADDRESSES as readonly string[]).includes(address));
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const page = this.site(request.headers.host ?? '', request.url ?? '/');
    const headers = { 'content-type': page?.type ?? 'text/html; charset=utf-8' };
    if (page?.redirectTo !== undefined) response.writeHead(302, { location: page.redirectTo }).end();
    else response.writeHead(page === undefined ? 404 : 200, headers).end(page?.body ?? '');
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', headers } = request;
    this.proxied.push(url);
    const onward = httpRequest(url, { headers, agent: false, timeout: 5_000 }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    onward.end();
  }

  #tunnel(request: IncomingMessage, socket: Socket): void {
    const { url = '' } = request;
    this.proxied.push(url);
    const colon = url.lastIndexOf(':');
    const onward = connect(Number(url.slice(colon + 1)), url.slice(0, colon).replace(/^\[|\]$/g, ''), () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  }

  #listen<T extends Server>(server: T, where: { host: string; port: number }): Promise<void> {
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...where, ipv6Only: true }, resolve);
    });
  }
}
