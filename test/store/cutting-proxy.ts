/** A way to a server that breaks: at random, or right behind the server's word that a transaction is committed. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { SeededRandom } from '../url/seeded-random.ts';

/** Of a thousand. */
export interface CutRates {
  /** Of what is sent to the server. */
  readonly sent: number;
  /** Of commits: they are done, and nobody hears of it. */
  readonly ends: number;
}

const NEVER: CutRates = { sent: 0, ends: 0 };
const COMMITTED = Buffer.from('COMMIT\0');

export class CuttingProxy {
  /** To the same database. */
  readonly url: string;
  rates = NEVER;
  unheardEnds = 0;
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

  #serve(client: Socket): readonly Socket[] {
    const server = connect(this.#target, '127.0.0.1');
    const both = [client, server];
    const cut = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) socket.on('error', () => {}).on('close', cut);
    client.on('data', (bytes) => {
      if (this.#isDrawn(this.rates.sent)) cut();
      else server.write(bytes);
    });
    server.on('data', (bytes) => {
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
