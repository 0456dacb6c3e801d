/**
 * Sends hostile pages through the whole program: serves them on loopback, crawls them, and visits them again
 * with `refresh`, with other content each time. In: a group of pages. Out: the usage of each run of the
 * program, and the number of pages that it found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { HostileBody } from './mutate.ts';
import type { ProcessUsage } from './report-usage.ts';

const ROOT = join(import.meta.dirname, '../..');
const REPORT = join(import.meta.dirname, 'report-usage.ts');

export interface RunOfProgram extends ProcessUsage {
  readonly command: 'crawl' | 'refresh';
  /** Pages that the run fetched or found changed. */
  readonly pages: number;
  readonly failed: number;
  /** Pages that the run had to find. A refresh has to find the pages whose bytes changed since the last visit. */
  readonly expected: number;
}

/** Runs one crawl and then `refreshes` refreshes. Each refresh finds another version of the pages. */
export async function lookAt(
  bodies: readonly HostileBody[],
  refreshes: number,
  folder: string,
): Promise<readonly RunOfProgram[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  let version = 1;
  const server = await serve(bodies, () => version);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urls = bodies.map((_, at) => `${origin}/page/${at}`);
  try {
    const data = join(folder, 'data');
    // Only the pages themselves are crawled: their links would make this a measurement of the database.
    const rules = ['--include', `${origin}/page/*`, '--depth', '0', '--no-watchers'];
    const runs = [
      await { ...(await run('crawl', [...urls, ...rules, '--dir', data], folder)), expected: bodies.length },
    ];
    for (let look = 0; look < refreshes; look++) {
      version++;
      const expected = bodies.filter(({ build }) => !build(version).equals(build(version - 1))).length;
      runs.push({ ...(await run('refresh', ['--dir', data, '--no-watchers', '--no-sources'], folder)), expected });
    }
    return runs;
  } finally {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}

async function serve(bodies: readonly HostileBody[], versionNow: () => number): Promise<Server> {
  const server = createServer((request, response) => {
    const body = bodies[Number(/^\/page\/(\d+)$/.exec(request.url ?? '')?.[1] ?? -1)];
    if (body === undefined) {
      response.writeHead(404).end();
      return;
    }
    const bytes = body.build(versionNow());
    const isSent = body.isGzipped && String(request.headers['accept-encoding']).includes('gzip');
    response.writeHead(200, { 'content-type': body.type, ...(isSent ? { 'content-encoding': 'gzip' } : {}) });
    response.end(isSent ? gzipSync(bytes) : bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function run(
  command: 'crawl' | 'refresh',
  words: readonly string[],
  folder: string,
): Promise<Omit<RunOfProgram, 'expected'>> {
  const usageFile = join(folder, 'usage.json');
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=2', '--import', REPORT, 'src/cli/main.ts', command, ...words, '--json'],
    { cwd: ROOT, env: { ...process.env, HOSTILE_USAGE: usageFile }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let errors = '';
  child.stdout.on('data', (piece) => (output += piece));
  child.stderr.on('data', (piece) => (errors += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`orbweaver ${command} ended with ${code}: ${errors.slice(-2_000)}`);
  const usage = JSON.parse(await readFile(usageFile, 'utf8')) as ProcessUsage;
  const told = JSON.parse(output) as Record<string, number>;
  const pages = command === 'crawl' ? told.fetched! : told.changed! + (told.noise ?? 0);
  return { ...usage, command, pages, failed: told.failed ?? 0 };
}
