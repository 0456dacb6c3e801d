/** `orbweaver serve` as a process of its own, as a user starts it. It can be killed and started again on its port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { MAIN } from '../../test/setup/built-program.ts';

/** Linux counts CPU time in hundredths of a second. */
const MS_PER_TICK = 10;
/** The same token after each start, so that clients can come back. */
const TOKEN = 'a-token-of-the-proof-only-0123456789';

export class ServeProcess {
  readonly #words: readonly string[];
  #child: ChildProcess | null = null;
  port = 0;
  /** What the server printed on stderr. */
  said = '';

  constructor(dirs: readonly string[], more: readonly string[] = []) {
    this.#words = ['serve', ...dirs.flatMap((dir) => ['--dir', dir]), ...more, '--json'];
  }

  static async start(dirs: readonly string[], more: readonly string[] = []): Promise<ServeProcess> {
    const serve = new ServeProcess(dirs, more);
    await serve.start();
    return serve;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get token(): string {
    return TOKEN;
  }

  get authorization(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${TOKEN}` };
  }

  /** Memory of the process in MB: now, and at most so far. */
  get memoryMb(): { readonly now: number; readonly peak: number } {
    const status = readFileSync(`/proc/${this.#child!.pid}/status`, 'utf8');
    const read = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_000);
    return { now: read('VmRSS'), peak: read('VmHWM') };
  }

  /** CPU time of the process so far, in ms. */
  get cpuMs(): number {
    const [, fields = ''] = readFileSync(`/proc/${this.#child!.pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    return (user! + system!) * MS_PER_TICK;
  }

  async start(): Promise<void> {
    const child = spawn(
      process.execPath,
      ['--max-semi-space-size=2', MAIN, ...this.#words, '--port', String(this.port)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ORBWEAVER_TOKEN: TOKEN },
      },
    );
    this.#child = child;
    child.stderr!.on('data', (chunk: Buffer) => {
      this.said = (this.said + chunk.toString()).slice(-10_000);
    });
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdout! }), 'line'),
      once(child, 'exit').then(() => [`{"problem":true}`]),
    ])) as [string];
    const { port } = JSON.parse(line) as { port?: number };
    if (port === undefined) throw new Error(`the server did not start: ${this.said}`);
    this.port = port;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: unknown; readonly ms: number }> {
    const startMs = performance.now();
    const response = await fetch(this.origin + path, { headers: this.authorization });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : text, ms: performance.now() - startMs };
  }
}
