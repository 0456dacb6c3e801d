/**
 * The contenders of fetch.ts. Each runs in its own thread, as crawler units do, so that no contender warms up or fills
 * the heap of another. In: how long to make requests. Out: the number of requests and of full garbage collections.
 */
import { connect } from 'node:net';
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { systemClock } from '../../src/core/clock.ts';
import type { Fetcher } from '../../src/fetch/fetcher.ts';

export interface ContenderSetup {
  readonly kind: 'bare socket' | 'undici Pool' | 'fetcher';
  readonly fetcherPath: string;
  readonly host: string;
  readonly port: number;
  readonly paths: readonly string[];
  readonly connections: number;
}

export interface ContenderReport {
  readonly requests: number;
  readonly majorGcs: number;
}

const { kind, fetcherPath, host, port, paths, connections } = workerData as ContenderSetup;
const pathOf = (turn: number): string => paths[turn % paths.length]!;

let majorGcs = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const { detail } = entry as unknown as { detail?: { kind?: number } };
    if (detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR) majorGcs += 1;
  }
}).observe({ entryTypes: ['gc'] });

const run = { 'bare socket': bareSockets, 'undici Pool': undiciPool, fetcher }[kind];
parentPort!.on('message', async (milliseconds: number) => {
  majorGcs = 0;
  const endMs = performance.now() + milliseconds;
  const requests = await run(() => performance.now() >= endMs);
  parentPort!.postMessage({ requests, majorGcs } satisfies ContenderReport);
});

async function fetcher(isOver: () => boolean): Promise<number> {
  const { Fetcher: Kind } = (await import(fetcherPath)) as { Fetcher: typeof Fetcher };
  const client = new Kind({ privateAddresses: 'allow', connectionsPerHost: connections }, systemClock);
  const count = await inParallel(isOver, async (turn) => {
    const outcome = await client.fetch(`http://${host}:${port}${pathOf(turn)}`);
    if (outcome.reason !== null) throw new Error(outcome.reason);
    return outcome.bodyBytes;
  });
  await client.close();
  return count;
}

async function undiciPool(isOver: () => boolean): Promise<number> {
  const pool = new Pool(`http://${host}:${port}`, { connections, allowH2: false });
  const count = await inParallel(isOver, async (turn) => {
    const { body } = await pool.request({ path: pathOf(turn), method: 'GET' });
    return (await body.arrayBuffer()).byteLength;
  });
  await pool.close();
  return count;
}

async function inParallel(isOver: () => boolean, fetchOne: (turn: number) => Promise<number>): Promise<number> {
  let count = 0;
  const work = async (): Promise<void> => {
    while (!isOver()) {
      if ((await fetchOne(count++)) < 5_000) throw new Error('that is no page of the web');
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return count;
}

/** Writes a request, reads a head without checking it, counts bytes, and writes the next request. */
async function bareSockets(isOver: () => boolean): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(64 * 1024);
  let count = 0;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let left = 0;
      const send = (): void => {
        if (isOver()) socket.destroy();
        else socket.write(`GET ${pathOf(count++)} HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\n`, 'latin1');
      };
      const onRead = (length: number): boolean => {
        if (left > 0) left -= length;
        else {
          const head = buffer.toString('latin1', 0, Math.min(length, 600));
          left = Number(/content-length: (\d+)/i.exec(head)?.[1]) - (length - head.indexOf('\r\n\r\n') - 4);
        }
        if (left === 0) send();
        return true;
      };
      const socket = connect({ host, port, onread: { buffer, callback: onRead } }, send);
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
  await Promise.all(Array.from({ length: connections }, work));
  return count;
}
