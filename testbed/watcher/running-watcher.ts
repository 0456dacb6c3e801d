/**
 * A watcher as the owner of a site starts it: a separate process that answers over HTTP. In: a file and flags. Out: an
 * object to send requests to and to stop.
 *
 * What always holds: the watcher listens on loopback on a port of its own choice, and nothing of it is
 * left when `stop` returns.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
const REPORT_PATH = '/.well-known/orbweaver-report';
const LISTENING = / on http:\/\/127\.0\.0\.1:(\d+)/;

export interface WatcherStart {
  readonly node: string;
  readonly nodeFlags?: readonly string[];
  /** The bundle of the watcher. */
  readonly file: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Time limit of the first sweep. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ReportEntry {
  readonly url: string;
  readonly change: string;
  readonly seq: number;
  readonly rank: number;
  readonly hash?: string;
  readonly from?: string;
  readonly to?: string;
}

export interface ReportHead {
  readonly site: string;
  readonly cursor: string;
  readonly since: string | null;
  readonly more: boolean;
  readonly listing: boolean;
  readonly pages: number;
  readonly at: string;
  readonly lease: { readonly by: string; readonly held: boolean; readonly holder?: string; readonly token?: string };
}

export class RunningWatcher {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #stderr = '';
  #stdout = '';
  #port = 0;

  private constructor({ node, nodeFlags = [], file, words, cwd, env }: WatcherStart) {
    this.#child = spawn(node, [...nodeFlags, file, ...words], {
      cwd,
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', () => resolve(null));
      this.#child.once('close', (code) => resolve(code));
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-100_000);
    });
  }

  /** Starts a watcher that listens. Returns when it answers, possibly with 503. */
  static async start(how: WatcherStart): Promise<RunningWatcher> {
    const watcher = new RunningWatcher(how);
    await watcher.#until(() => LISTENING.test(watcher.#stderr), how.timeoutMs ?? READY_TIMEOUT_MS, 'does not listen');
    watcher.#port = Number(LISTENING.exec(watcher.#stderr)![1]);
    return watcher;
  }

  /** Starts a watcher that ends by itself or does not listen. */
  static run(how: WatcherStart): RunningWatcher {
    return new RunningWatcher(how);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get port(): number {
    return this.#port;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Waits until the first sweep of a site is done. */
  async ready(site: string, timeoutMs = READY_TIMEOUT_MS): Promise<ReportHead> {
    let head: ReportHead | undefined;
    await this.#until(
      async () => {
        const answer = await this.get(site, '?limit=0').catch(() => undefined);
        head = answer?.status === 200 ? readReport(answer.body).head : undefined;
        return head !== undefined;
      },
      timeoutMs,
      'is not ready',
    );
    return head!;
  }

  async report(site: string, query: string): Promise<{ head: ReportHead; entries: ReportEntry[] }> {
    const answer = await this.get(site, query);
    if (answer.status !== 200) throw new Error(`the report was answered with ${answer.status}: ${answer.body}`);
    return readReport(answer.body);
  }

  get(site: string, query: string, path = REPORT_PATH, method = 'GET'): Promise<Answer> {
    return ask(this.#port, new URL(site).host, `${path}${query}`, method);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    return this.#ended;
  }

  async #until(done: () => boolean | Promise<boolean>, timeoutMs: number, complaint: string): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await done())) {
      const left = this.#child.exitCode !== null || this.#child.signalCode !== null;
      if (left || Date.now() > deadline) {
        await this.stop('SIGKILL');
        throw new Error(`the watcher ${left ? 'left' : complaint}: ${this.#stderr.trim()}`);
      }
      await sleep(POLL_MS);
    }
  }
}

export function readReport(body: string): { head: ReportHead; entries: ReportEntry[] } {
  const lines = body.trimEnd().split('\n');
  const [first = '', last = ''] = [lines[0], lines.at(-1)];
  const end = JSON.parse(last) as { end?: boolean; entries?: number };
  const entries = lines.slice(1, -1).map((line) => JSON.parse(line) as ReportEntry);
  if (end.end !== true || end.entries !== entries.length) throw new Error('the report was cut off');
  return { head: JSON.parse(first) as ReportHead, entries };
}

/** Each request comes from another client address, as behind a proxy, because one client may not ask so often. */
export function ask(port: number, host: string, path: string, method = 'GET'): Promise<Answer> {
  const client = `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;
  const headers = { host, 'x-forwarded-for': client };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}
