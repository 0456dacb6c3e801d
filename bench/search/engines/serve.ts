/**
 * The part that all engines of the search benchmark share. In: the arguments of the program, and queries on stdin, one
 * in each line: its kind, a tab, and its words. Out: on stdout, the facts of the index, and for each query the number of
 * hits, and the microseconds of wall time and of CPU time, separated by tabs; `-` if the engine has no such query.
 */
import { openSync, readFileSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { QueryKind } from '../choose-queries.ts';
import type { Document } from '../collection.ts';

/** Finds the best ten documents. Returns how many it found, or null if the engine has no such query. */
export type Answer = (kind: QueryKind, words: readonly string[]) => number | null | Promise<number | null>;

export interface Engine {
  /** Builds the index. Returns its bytes. */
  index(documents: Iterable<Document>, folder: string): number | Promise<number>;
  open(folder: string): Answer | Promise<Answer>;
  /** For an engine whose index ends with its process. It is then built before it is opened. */
  readonly isInMemory?: boolean;
  /** The CPU time of the engine in microseconds, if it is not that of this process. */
  readonly cpuMicroseconds?: () => number;
}

const READ_BYTES = 2 ** 20;

/** Runs as `node <engine>.ts index|serve <documents> <folder>`. */
export async function runEngine(engine: Engine): Promise<void> {
  const [task, documentsPath, folder] = process.argv.slice(2) as [string, string, string];
  const cpu = engine.cpuMicroseconds ?? ownCpu;
  if (task === 'index' || engine.isInMemory === true) {
    const cpuBefore = engine.isInMemory === true ? 0 : cpu();
    const before = performance.now();
    const bytes = await engine.index(readDocuments(documentsPath), folder);
    const seconds = (performance.now() - before) / 1_000;
    const facts = { bytes, seconds, cpuSeconds: (cpu() - cpuBefore) / 1e6, peakMb: peakMb() };
    process.stdout.write(`indexed ${JSON.stringify(facts)}\n`);
  }
  if (task === 'serve') await answerQueries(engine, folder, cpu);
}

async function answerQueries(engine: Engine, folder: string, cpu: () => number): Promise<void> {
  const before = performance.now();
  const answer = await engine.open(folder);
  process.stdout.write(`ready ${JSON.stringify({ openMs: performance.now() - before })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const [kind, words] = line.split('\t') as [QueryKind, string];
    const wallBefore = performance.now();
    const cpuBefore = cpu();
    const hits = await answer(kind, words.split(' '));
    const cpuTime = cpu() - cpuBefore;
    const wallTime = 1_000 * (performance.now() - wallBefore);
    process.stdout.write(hits === null ? '-\n' : `${hits}\t${Math.round(wallTime)}\t${Math.round(cpuTime)}\n`);
  }
  process.exit();
}

function* readDocuments(path: string): Generator<Document> {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(READ_BYTES);
  let rest = Buffer.alloc(0);
  for (let length = readSync(file, bytes); length > 0; length = readSync(file, bytes)) {
    const chunk = Buffer.concat([rest, bytes.subarray(0, length)]);
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield JSON.parse(chunk.toString('utf8', from, end)) as Document;
      from = end + 1;
    }
    rest = chunk.subarray(from);
  }
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function peakMb(): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? 0) / 1_024;
}
