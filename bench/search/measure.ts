/**
 * Measures engines on a collection. In: engines that are installed, a collection, and queries. Out: the facts of each
 * index, and the times of each query.
 *
 * What always holds: one engine works at a time. In each round every engine gets each query before any engine gets the
 * next one. The time of a query is the median of its rounds. An engine that fails gives a reason.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchQuery } from './choose-queries.ts';
import type { Collection } from './collection.ts';
import type { Contender } from './contenders.ts';
import { type IndexFacts, type QueryTime, RunningEngine } from './running-engine.ts';

export interface EngineFigures {
  readonly engine: string;
  readonly version: string;
  readonly note: string;
  readonly index: IndexFacts | null;
  /** From opening the index to the answer to the first query. Null for an engine that has just built its index. */
  readonly firstMs: number | null;
  /** After all queries; null for an engine that is a server. */
  readonly memoryMb: number | null;
  /** By query; null if the engine has no such query, or its time was over. */
  readonly times: readonly (QueryTime | null)[];
  readonly failure: string | null;
}

export interface MeasureOptions {
  readonly rounds: number;
  /** Milliseconds that an engine may take for the queries of a round. */
  readonly budgetMs: number;
  readonly indexTimeoutMs: number;
  /** Takes an index of an earlier run. */
  readonly reusesIndex: boolean;
  readonly workFolder: string;
  readonly report: (text: string) => void;
}

export interface ReadyContender {
  readonly contender: Contender;
  readonly version: string;
}

interface Run {
  readonly ready: ReadyContender;
  readonly indexed: IndexFacts | null;
  readonly rounds: (QueryTime | null)[][];
  running: RunningEngine | null;
  firstMs: number | null;
  memoryMb: number | null;
  failure: string | null;
}

const FACTS = 'facts.json';

export async function measureEngines(
  contenders: readonly ReadyContender[],
  collection: Collection,
  queries: readonly BenchQuery[],
  options: MeasureOptions,
): Promise<EngineFigures[]> {
  const runs: Run[] = [];
  for (const ready of contenders) runs.push(await startRun(ready, collection, options));
  for (let round = 0; round < options.rounds; round++) await runRound(runs, queries, options);
  for (const run of runs) {
    await run.running?.close();
    options.report(`${collection.name}: ${run.ready.contender.name}: ${run.failure ?? 'answered'}`);
  }
  return runs.map((run) => figuresOf(run, queries));
}

async function startRun(ready: ReadyContender, collection: Collection, options: MeasureOptions): Promise<Run> {
  const { contender } = ready;
  const { workFolder, report, indexTimeoutMs } = options;
  const owner = contender.sharesIndexOf ?? contender.name;
  const folder = join(workFolder, 'search', 'indexes', `${owner.replace(' ', '-')}-${collection.name}`);
  const command = (task: 'index' | 'serve') => contender.command(task, collection.path, folder, workFolder);
  const run: Run = { ready, indexed: null, rounds: [], running: null, firstMs: null, memoryMb: null, failure: null };
  try {
    let indexed: IndexFacts | null = null;
    const sharesIndex = contender.sharesIndexOf !== undefined;
    if (!contender.isInMemory && !sharesIndex) indexed = await buildIndex(folder, () => command('index'), options);
    const running = await RunningEngine.start(command('serve'), indexTimeoutMs);
    indexed ??= running.indexed;
    if (indexed !== null) {
      report(`${collection.name}: ${contender.name}: indexed in ${indexed.cpuSeconds.toFixed(0)} s of CPU time`);
    }
    return { ...run, indexed, running };
  } catch (error) {
    return { ...run, failure: (error as Error).message };
  }
}

async function buildIndex(
  folder: string,
  command: () => ReturnType<Contender['command']>,
  { reusesIndex, indexTimeoutMs, report }: MeasureOptions,
): Promise<IndexFacts | null> {
  const factsPath = join(folder, FACTS);
  if (reusesIndex && existsSync(factsPath)) return JSON.parse(readFileSync(factsPath, 'utf8')) as IndexFacts;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { indexed, notes } = await RunningEngine.start(command(), indexTimeoutMs);
  if (notes !== '') report(notes);
  writeFileSync(factsPath, JSON.stringify(indexed));
  return indexed;
}

async function runRound(runs: Run[], queries: readonly BenchQuery[], { budgetMs }: MeasureOptions): Promise<void> {
  const spent = new Map<Run, number>();
  for (const run of runs) run.rounds.push([]);
  for (const [i, query] of queries.entries()) {
    for (let turn = 0; turn < runs.length; turn++) {
      const run = runs[(i + turn) % runs.length]!;
      const before = spent.get(run) ?? 0;
      const time = before < budgetMs ? await ask(run, query) : null;
      run.rounds.at(-1)!.push(time);
      spent.set(run, before + (time?.wallMs ?? 0));
    }
  }
  for (const run of runs) run.memoryMb = run.running?.memoryMb ?? null;
}

async function ask(run: Run, query: BenchQuery): Promise<QueryTime | null> {
  if (run.running === null) return null;
  try {
    const time = await run.running.ask(query);
    if (time !== null) run.firstMs ??= run.running.openMs + time.wallMs;
    return time;
  } catch (error) {
    run.failure = (error as Error).message;
    run.running = null;
    return null;
  }
}

function figuresOf({ ready, indexed, rounds, firstMs, memoryMb, failure }: Run, queries: readonly BenchQuery[]) {
  const { name, note, isInMemory, isServer } = ready.contender;
  const times = queries.map((_, i): QueryTime | null => {
    const all = rounds.flatMap((round) => round[i] ?? []);
    if (all.length === 0) return null;
    return {
      hits: all[0]!.hits,
      wallMs: median(all.map((one) => one.wallMs)),
      cpuMs: median(all.map((one) => one.cpuMs)),
    };
  });
  return {
    engine: name,
    version: ready.version,
    note,
    index: indexed,
    firstMs: isInMemory ? null : firstMs,
    memoryMb: isServer ? null : memoryMb,
    times,
    failure,
  };
}

/** The lower one of two in the middle. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1]!;
}
