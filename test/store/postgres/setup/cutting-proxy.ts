/**
 * A proxy before a server. It breaks connections: at random, right after the server confirmed a commit, or silently.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { SeededRandom } from '../../../../testbed/random.ts';

/** Rates per thousand. */
export interface CutRates {
  /** Share of the messages to the server that are cut. */
  readonly sent: number;
  /** Share of the commits that are done but never confirmed to the client. */
  readonly ends: number;
}

const NEVER: CutRates = { sent: 0, ends: 0 };
const COMMITTED = Buffer.from('COMMIT\0');
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);
const PROCESS = Buffer.from([0x4b, 0, 0, 0, 12]);
/** The end of the message with which a client asks for the types of a statement, before it sends the values. */
const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);

export class CuttingProxy {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  rates = NEVER;
  unheardEnds = 0;
  /** The process id in the server's greeting. Poolers send an arbitrary one. */
  greetsAs: number | null = null;
  /** Connections become silent as soon as the server has sent its greeting. */
  hushesGreeted = false;
  /** Connections become silent between a new statement and its values. */
  hushesDescribed = false;
  /** Number of connections through the proxy. */
  opened = 0;
  /** Resolves when a message was sent that will never arrive. */
  readonly swallowed = Promise.withResolvers<void>();
  readonly #hushed = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  readonly #target: number;
  readonly #random = new SeededRandom(1);

  private constructor(url: string, port: number) {
    this.#target = Number(new URL(url).port);
    this.url = Object.assign(new URL(url), { port: String(port) }).href;
  }

  static async before(t: TestContext, url: string): Promise<CuttingProxy> {
    const sockets = new Set<Socket>();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new CuttingProxy(url, (server.address() as AddressInfo).port);
    server.on('connection', (client) => {
      for (const socket of proxy.#serve(client)) sockets.add(socket);
    });
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return proxy;
  }

  /**
   * From now on, existing connections carry nothing, not even their end, as if a router
   * had forgotten them. New connections work.
   */
  hush(): void {
    for (const client of this.#clients) this.#hushed.add(client);
  }

  #serve(client: Socket): readonly Socket[] {
    this.opened++;
    this.#clients.add(client);
    const server = connect(this.#target, '127.0.0.1');
    const both = [client, server];
    const isHushed = () => this.#hushed.has(client);
    const cut = () => {
      if (isHushed()) return;
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) socket.on('error', () => {}).on('close', cut);
    client.on('data', (bytes) => {
      if (isHushed()) this.swallowed.resolve();
      if (isHushed()) return;
      if (this.#isDrawn(this.rates.sent)) cut();
      else server.write(bytes);
      if (this.hushesDescribed && bytes.subarray(-FLUSH.length).equals(FLUSH)) this.#hushed.add(client);
    });
    server.on('data', (bytes) => {
      if (isHushed()) return;
      const greeting = bytes.indexOf(PROCESS);
      if (this.greetsAs !== null && greeting >= 0) bytes.writeInt32BE(this.greetsAs, greeting + PROCESS.length);
      if (this.hushesGreeted && bytes.includes(READY)) this.#hushed.add(client);
      if (!bytes.includes(COMMITTED) || !this.#isDrawn(this.rates.ends)) {
        client.write(bytes);
        return;
      }
      this.unheardEnds++;
      cut();
    });
    return both;
  }

  #isDrawn(rate: number): boolean {
    return this.#random.below(1_000) < rate;
  }
}
