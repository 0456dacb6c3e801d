/** A report server on loopback for tests, and functions to ask it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { LeaseAdmission } from '../../../src/watcher/admit/lease-admission.ts';
import { LeaseKeeper, type LeaseRules, leaseClock } from '../../../src/watcher/report/lease-keeper.ts';
import { type HandlerOptions, REPORT_PATH, reportHandler } from '../../../src/watcher/serve/handler.ts';
import { ReportServer, type ServerLimits } from '../../../src/watcher/serve/server.ts';
import { SiteInMemory, sourceOf } from '../report/site-in-memory.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** No rate limit. */
export const NO_RATE = { burst: 1e9, perSecond: 1e9 };
const agent = new Agent({ keepAlive: true, maxSockets: 300 });
after(() => agent.destroy());

export function ask(port: number, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, method, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

export interface LocalReport {
  readonly site: SiteInMemory;
  readonly port: number;
  readonly server: ReportServer;
  readonly lease: LeaseKeeper;
  readonly faults: unknown[];
  get(query?: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
}

export interface LocalOptions {
  readonly handler?: Partial<HandlerOptions>;
  readonly limits?: Partial<ServerLimits>;
  readonly lease?: Partial<LeaseRules>;
  readonly urls?: readonly string[];
  readonly admission?: LeaseAdmission;
}

/** The server closes when the tests of the file are done. */
export async function localReport({
  handler,
  limits,
  lease: rules,
  urls,
  admission,
}: LocalOptions = {}): Promise<LocalReport> {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const site = new SiteInMemory();
  site.begin(urls ?? ['/', '/a.html', '/b.html']);
  const lease = await LeaseKeeper.open(join(folder, 'lease.json'), rules ?? {}, leaseClock);
  const faults: unknown[] = [];
  const rates = { perClient: NO_RATE, overall: NO_RATE, onFault: (error: unknown) => faults.push(error) };
  const answers = reportHandler([{ source: sourceOf(site), lease, ...(admission && { admission }) }], {
    ...rates,
    ...handler,
  });
  const server = await ReportServer.listen(answers, { host: '127.0.0.1', port: 0 }, { graceMs: 50, ...limits });
  after(async () => {
    agent.destroy();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = server;
  const get = (query = '', headers = {}, method = 'GET') => ask(port, `${REPORT_PATH}${query}`, headers, method);
  return { site, port, server, lease, faults, get };
}

export function linesOf(body: Buffer): Record<string, unknown>[] {
  return body
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
