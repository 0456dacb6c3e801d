/**
 * A site on the disk with a web server, a watcher, crawlers that follow the site, and hostile visitors. All except the
 * web server are separate processes. In: sizes and times. Out: the time that each change took to reach each crawler,
 * with and without the visitors.
 *
 * What always holds: everything is on loopback, and nothing is left when `close` returns.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ProcessUse, processUse } from './process-use.ts';
import { RunningWatcher } from './running-watcher.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const CRAWLER = fileURLToPath(new URL('./following-crawler.ts', import.meta.url));
const VISITORS = fileURLToPath(new URL('./hostile-visitors.ts', import.meta.url));

export interface VisitedPlan {
  readonly folder: string;
  /** The bundle of the watcher. */
  readonly watcher: string;
  readonly pages: number;
  readonly crawlers: number;
  /** Interval of the crawlers' rounds, for example `2s`. */
  readonly every: string;
  readonly watcherWords?: readonly string[];
  /** The command line of the crawlers; the sources if none is given. */
  readonly program?: string;
  /** Flags for the processes that follow the site from the sources. */
  readonly nodeFlags?: readonly string[];
  /** Further settings of the crawlers. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Time from a change on the disk to its arrival in a copy; null when it has not arrived. */
export interface Arrival {
  readonly crawler: number;
  readonly path: string;
  readonly tookMs: number | null;
}

interface Change {
  readonly path: string;
  readonly atMs: number;
  readonly arrivedMs: (number | null)[];
}

export class VisitedSite {
  readonly #plan: VisitedPlan;
  readonly #root: string;
  #server: Server | null = null;
  #watcher: RunningWatcher | null = null;
  readonly #crawlers: ChildProcess[] = [];
  readonly #changes: Change[] = [];
  readonly warnings: string[] = [];
  #changed = 0;

  private constructor(plan: VisitedPlan) {
    this.#plan = plan;
    this.#root = join(plan.folder, 'www');
  }

  /** When this returns, every crawler has a copy and follows the site. */
  static async open(plan: VisitedPlan): Promise<VisitedSite> {
    const site = new VisitedSite(plan);
    try {
      await site.#open();
    } catch (error) {
      await site.close();
      throw error;
    }
    return site;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server!.address() as AddressInfo).port}`;
  }

  get watcherPort(): number {
    return this.#watcher!.port;
  }

  /** The output of the watcher for its owner. */
  get watcherSaid(): string {
    return this.#watcher!.stderr;
  }

  get watcherUse(): ProcessUse {
    return processUse(this.#watcher!.pid);
  }

  async #open(): Promise<void> {
    const { folder, watcher, pages, crawlers, watcherWords = [], program = MAIN } = this.#plan;
    await mkdir(this.#root, { recursive: true });
    const links = Array.from({ length: pages }, (_, i) => `<a href="/p${i}.html">${i}</a>`).join(' ');
    await writeFile(join(this.#root, 'index.html'), `<title>Main</title>${links}`);
    for (let i = 0; i < pages; i++) await writeFile(join(this.#root, `p${i}.html`), pageOf(i, 0));
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const words = [this.#root, '--url', this.origin, '--state', join(folder, 'state'), '--listen', '127.0.0.1:0'];
    this.#watcher = await RunningWatcher.start({
      node: process.execPath,
      file: watcher,
      words: [...words, ...watcherWords],
      cwd: folder,
      env: {},
    });
    await this.#watcher.ready(this.origin);
    for (let i = 0; i < crawlers; i++) {
      const dir = join(folder, `copy-${i}`);
      await run([program, 'crawl', `${this.origin}/`, '--dir', dir, '--units', '1']);
      // After this refresh the crawler trusts the watcher.
      await run([program, 'refresh', '--dir', dir, '--units', '1']);
    }
    for (let i = 0; i < crawlers; i++) this.#follow(i);
    // All crawlers have started when a first change has arrived everywhere.
    await this.change();
    await this.arrived(60_000);
    this.#changes.length = 0;
  }

  #follow(crawler: number): void {
    const { folder, every, settings = {}, nodeFlags = [] } = this.#plan;
    const words = [CRAWLER, join(folder, `copy-${crawler}`), every, JSON.stringify({ units: 1, ...settings })];
    const child = spawn(process.execPath, [...nodeFlags, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#crawlers.push(child);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const said = JSON.parse(line) as { url?: string; atMs?: number; warning?: string };
      if (said.warning !== undefined) this.warnings.push(said.warning);
      if (said.url === undefined) return;
      const path = said.url.slice(this.origin.length);
      const change = this.#changes.find((each) => each.path === path && each.arrivedMs[crawler] === null);
      if (change !== undefined) change.arrivedMs[crawler] = said.atMs!;
    });
  }

  /** Serves the pages, and forwards the watcher's paths with the address of the client. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, 'http://x');
    if (pathname.startsWith('/.well-known/orbweaver-')) return passOn(request, response, this.watcherPort);
    const file = pathname === '/' ? 'index.html' : pathname.slice(1);
    const content = /^[\w.]+$/.test(file) ? await readFile(join(this.#root, file)).catch(() => null) : null;
    if (content === null) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(content);
  }

  /** Replaces the file in one step, because a half-written file would be seen as another change. */
  async change(): Promise<void> {
    const page = this.#changed++ % this.#plan.pages;
    const beside = join(this.#plan.folder, 'being-written');
    await writeFile(beside, pageOf(page, this.#changed));
    await rename(beside, join(this.#root, `p${page}.html`));
    const arrivedMs = this.#crawlers.map(() => null);
    this.#changes.push({ path: `/p${page}.html`, atMs: Date.now(), arrivedMs });
  }

  /** Changes pages for `forMs`, and then waits until all changes have arrived, but at most for `waitMs`. */
  async measure(forMs: number, betweenMs: number, waitMs: number): Promise<readonly Arrival[]> {
    this.#changes.length = 0;
    const endsMs = Date.now() + forMs;
    for (let nextMs = Date.now(); nextMs < endsMs; nextMs += betweenMs) {
      await sleep(Math.max(0, nextMs - Date.now()));
      await this.change();
    }
    await this.arrived(waitMs);
    return this.#changes.flatMap(({ path, atMs, arrivedMs }) =>
      arrivedMs.map((ms, crawler) => ({ crawler, path, tookMs: ms === null ? null : ms - atMs })),
    );
  }

  async arrived(waitMs: number): Promise<void> {
    const untilMs = Date.now() + waitMs;
    const isLeft = () => this.#changes.some(({ arrivedMs }) => arrivedMs.includes(null));
    while (isLeft() && Date.now() < untilMs) await sleep(20);
  }

  async close(): Promise<void> {
    for (const child of this.#crawlers) await end(child);
    await this.#watcher?.stop('SIGKILL');
    this.#server?.closeAllConnections();
    this.#server?.close();
    await rm(this.#plan.folder, { recursive: true, force: true });
  }
}

export interface Visitors {
  /** Ends the visitors and returns their requests and the response statuses. */
  stop(): Promise<Record<string, { asked: number; statuses: Record<string, number> }>>;
}

export async function letIn(port: number, count: number): Promise<Visitors> {
  const child = spawn(process.execPath, [VISITORS, String(port), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!said.includes('ready')) await sleep(10);
  return {
    async stop() {
      await end(child);
      return JSON.parse(said.split('\n')[1] || '{}');
    },
  };
}

function pageOf(number: number, version: number): string {
  return `<title>Page ${number}</title><p>This is page ${number}, and these are its words of version ${version}.</p>`;
}

function passOn(asked: IncomingMessage, response: ServerResponse, port: number): void {
  const headers = { ...asked.headers, 'x-forwarded-for': asked.socket.remoteAddress };
  const onward = request({ host: '127.0.0.1', port, path: asked.url, method: asked.method, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  onward.end();
}

async function run(words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(errors);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}

/** Times of the changes that arrived. */
export function timesOf(arrivals: readonly Arrival[]): { median: number; p95: number; longest: number; lost: number } {
  const took = arrivals.flatMap(({ tookMs }) => tookMs ?? []).sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), longest: at(1), lost: arrivals.length - took.length };
}
