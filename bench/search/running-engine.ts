/**
 * A running engine of the search benchmark. In: a command, and queries. Out: the facts of its index, and for each query
 * the times that the engine measured. The program speaks the protocol of engines/serve.ts.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Command } from '../../testbed/measure/run-command.ts';
import type { BenchQuery } from './choose-queries.ts';

export interface IndexFacts {
  /** 0 if the index is in memory. */
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

export interface QueryTime {
  readonly hits: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

const KEPT_ERRORS = 2_000;

export class RunningEngine {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  #errors = '';
  /** Null if the program only opened an index. */
  indexed: IndexFacts | null = null;
  openMs = 0;

  private constructor({ program, args, cwd }: Command) {
    this.#child = spawn(program, [...args], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr.on('data', (bytes: Buffer) => {
      this.#errors = (this.#errors + bytes.toString()).slice(-KEPT_ERRORS);
    });
    // A program that has ended cannot read. What it wrote says why.
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', (error) => {
      this.#errors += error.message;
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Waits until the engine answers queries, or has built its index and ended. Throws if it fails or takes too long. */
  static async start(command: Command, timeoutMs: number): Promise<RunningEngine> {
    const engine = new RunningEngine(command);
    const timer = setTimeout(() => engine.#child.kill('SIGKILL'), timeoutMs);
    try {
      for (;;) {
        const line = await engine.#next();
        if (line === null && engine.indexed !== null) return engine;
        if (line === null) throw new Error(`the engine ended: ${engine.#errors.trim()}`);
        if (line.startsWith('indexed ')) engine.indexed = JSON.parse(line.slice(8)) as IndexFacts;
        if (!line.startsWith('ready ')) continue;
        engine.openMs = (JSON.parse(line.slice(6)) as { openMs: number }).openMs;
        return engine;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  get notes(): string {
    return this.#errors.trim();
  }

  /** Null if the engine has no such query. */
  async ask({ kind, words }: BenchQuery): Promise<QueryTime | null> {
    this.#child.stdin.write(`${kind}\t${words.join(' ')}\n`);
    const line = await this.#next();
    if (line === null) throw new Error(`the engine ended: ${this.#errors.trim()}`);
    if (line === '-') return null;
    const [hits, wall, cpu] = line.split('\t').map(Number) as [number, number, number];
    return { hits, wallMs: wall / 1_000, cpuMs: cpu / 1_000 };
  }

  /** Memory of the process now, without files that are mapped into it. */
  get memoryMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'latin1');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
  }

  /** Ends the program, and waits for its end. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    while ((await this.#next()) !== null);
  }

  async #next(): Promise<string | null> {
    const { done, value } = await this.#lines.next();
    return done ? null : value;
  }
}
