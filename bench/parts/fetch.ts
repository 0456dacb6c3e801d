/**
 * Measures the cost of one request: pages of 14 KB over ten kept-alive connections to nginx on loopback. The pages are
 * the gzipped files of the local web, requested by their `.gz` names so that no client decodes them. Our fetcher is
 * compared with undici's Pool, and with a bare socket that only counts bytes, which no client can beat. Rounds
 * alternate, so that a busy machine slows all contenders equally. Use the CPU time and the ratios.
 *
 * Run: node bench/parts/fetch.ts [seconds per contender] [path of another fetcher.ts to compare with]
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { makeWeb } from '../web/make.ts';
import { findServerProgram, serveWeb } from '../web/serve.ts';
import type { ContenderReport, ContenderSetup } from './fetch-contenders.ts';

const ROUNDS = 11;
const CONNECTIONS = 10;
const PAGES = 300;
const OUR_FETCHER = resolve(import.meta.dirname, '../../src/fetch/fetcher.ts');
const secondsEach = Number(process.argv[2] ?? 10);
const otherFetcher = process.argv[3];

interface Sample {
  readonly rate: number;
  readonly cpuMicroseconds: number;
  readonly majorGcs: number;
}

const folder = await mkdtemp(join(tmpdir(), 'fetch-bench-'));
const note = (text: string): void => console.error(text);
const program = await findServerProgram(note);
const web = await makeWeb(folder, { pages: PAGES, hosts: 1, seed: 1 }, note);
const server = await serveWeb(program, web, join(folder, 'server'), join(folder, 'requests.log'));

const contenders: [name: string, worker: Worker][] = [
  ['bare socket', start('bare socket')],
  ['undici Pool', start('undici Pool')],
  ['Fetcher', start('fetcher')],
];
if (otherFetcher !== undefined) contenders.push(['other Fetcher', start('fetcher', resolve(otherFetcher))]);

try {
  const samples = await measure();
  console.log(`${program.version}, ${CONNECTIONS} connections`);
  for (const [index, [name]] of contenders.entries()) {
    const { rate, cpuMicroseconds, majorGcs } = median(samples[index]!);
    console.log(
      `  ${name.padEnd(14)} ${Math.round(rate).toLocaleString('en').padStart(8)} requests/s  ` +
        `${cpuMicroseconds.toFixed(1).padStart(6)} µs of processor each  ${majorGcs.toFixed(1)} major GCs / 1,000`,
    );
  }
} finally {
  for (const [, worker] of contenders) await worker.terminate();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

function start(kind: ContenderSetup['kind'], fetcherPath = OUR_FETCHER): Worker {
  const paths = Array.from({ length: PAGES }, (_, page) => web.plan.path(page))
    .filter((path) => path !== '/')
    .map((path) => `${path}.gz`);
  const { port, hosts } = web.plan;
  const workerData: ContenderSetup = { kind, fetcherPath, host: hosts[0]!, port, paths, connections: CONNECTIONS };
  return new Worker(join(import.meta.dirname, 'fetch-contenders.ts'), { workerData });
}

async function measure(): Promise<Sample[][]> {
  const samples: Sample[][] = contenders.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, [, worker]] of contenders.entries()) {
      const startMs = performance.now();
      const startCpu = process.cpuUsage();
      worker.postMessage((secondsEach * 1000) / ROUNDS);
      const [{ requests, majorGcs }] = (await once(worker, 'message')) as [ContenderReport];
      const { user, system } = process.cpuUsage(startCpu);
      // The first round is the warm-up.
      if (round === 0) continue;
      samples[index]!.push({
        rate: requests / ((performance.now() - startMs) / 1000),
        cpuMicroseconds: (user + system) / requests,
        majorGcs: (majorGcs * 1000) / requests,
      });
    }
  }
  return samples;
}

/** The sample with the median CPU time. */
function median(samples: readonly Sample[]): Sample {
  return samples.toSorted((a, b) => a.cpuMicroseconds - b.cpuMicroseconds)[samples.length >> 1]!;
}
