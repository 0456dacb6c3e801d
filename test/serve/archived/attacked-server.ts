/**
 * A server for stored attacks, and a browser that opens them. `/archived/…` is the code under test; `/frame?…` is a
 * page that shows an archived page in a frame, as the interface does; `/raw/…` gives an attack as its site sent it.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { readStoreAt } from '../../../src/crawl/place/open-store.ts';
import {
  archivedPath,
  archivedRoot,
  newArchivedKey,
  readArchivedPath,
} from '../../../src/serve/archived/archived-address.ts';
import { replyArchived } from '../../../src/serve/archived/archived-reply.ts';
import { OUTSIDE, STORED_ATTACKS } from '../../../testbed/attacks/stored-attacks.ts';
import { startChromium } from '../../../testbed/servers/chromium-program.ts';

export class AttackedServer {
  readonly #key = newArchivedKey();
  readonly #dir: string;
  readonly #store: Awaited<ReturnType<typeof readStoreAt>>;
  readonly #server;
  /** Every host but this server is here. */
  readonly #outside: Server;
  /** Requests of this server, other than archived pages. */
  readonly others: string[] = [];
  outsideConnections = 0;

  private constructor(dir: string, store: Awaited<ReturnType<typeof readStoreAt>>) {
    this.#dir = dir;
    this.#store = store;
    this.#server = createHttpServer((request, response) => void this.#answer(request, response));
    this.#outside = createServer((socket) => {
      this.outsideConnections++;
      socket.on('error', () => {});
      socket.destroy();
    });
  }

  static async start(dir: string): Promise<AttackedServer> {
    const served = new AttackedServer(dir, await readStoreAt(dir));
    served.#server.listen(0, '127.0.0.1');
    served.#outside.listen(0, '127.0.0.1');
    await Promise.all([once(served.#server, 'listening'), once(served.#outside, 'listening')]);
    return served;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  pathOf(url: string, atMs: number): string {
    return archivedPath(archivedRoot(this.#key, 'a copy'), atMs, url)!;
  }

  async openBrowser(program: string): Promise<{ browser: Browser; close: () => Promise<void> }> {
    const { port } = this.#outside.address() as AddressInfo;
    const rules = `MAP ${OUTSIDE} 127.0.0.1:${port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`;
    const running = await startChromium(program, [`--host-resolver-rules=${rules}`]);
    const browser = await chromium.connectOverCDP(running.endpoint);
    const close = async () => {
      await browser.close();
      await running.close();
    };
    return { browser, close };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#outside.close();
    await this.#store.close();
  }

  async #answer({ url: path = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = readArchivedPath(path, this.#key);
    if (address !== null) {
      const { status, type, headers, body } = await replyArchived({ store: this.#store, where: this.#dir, ...address });
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
      return;
    }
    if (path.startsWith('/raw/')) {
      const attack = STORED_ATTACKS.find(({ name }) => path === `/raw/${name}`);
      if (attack === undefined) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': attack.contentType }).end(attack.body);
    } else if (path.startsWith('/frame?')) {
      const frames = path
        .slice(7)
        .split(',')
        .map((src) => `<iframe sandbox src="${src}"></iframe>`);
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': "default-src 'self'" });
      response.end(`<!doctype html><title>frames</title>${frames.join('')}`);
    } else {
      this.others.push(path);
      response.writeHead(404).end();
    }
  }
}
