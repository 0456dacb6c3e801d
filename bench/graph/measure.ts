/**
 * Measures a stored graph: its size, the time and memory of an iteration, the difference of the ranks from the plain
 * computation, and the iterations that earlier ranks save. CPU seconds of the thread are recorded beside wall seconds,
 * because the machine may be busy.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PageRankRun } from '../../src/graph/page-rank.ts';
import type { DiscoveredWeb } from './discovery-order.ts';
import { type StoredGraph, storeGraph } from './linked-pages.ts';
import { referenceRanks } from './reference.ts';

export const TOP_PAGES = 1000;
/** An order of URLs needs the first tolerance, published ranks need the last one. */
export const TOLERANCES = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8] as const;
/** Growth of the web since the earlier ranks were computed. */
export const GROWTH = 1.1;
/** Iterations of one round: enough for the compiler to optimise the code and for a stable time. */
const TIMED_ITERATIONS = 5;

export interface Timing {
  readonly secondsPerIteration: number;
  readonly cpuSecondsPerIteration: number;
  /** CPU time of the plain computation in memory, in the same round. */
  readonly referenceCpuSecondsPerIteration: number;
}

export function timeIterations(web: DiscoveredWeb, graph: StoredGraph): Timing {
  const reference = referenceRanks(web, { maxIterations: TIMED_ITERATIONS });
  const options = { maxIterations: TIMED_ITERATIONS, tolerance: 0 };
  const ranked = timed(() => finish(new PageRankRun(web.pages, options), graph));
  return {
    secondsPerIteration: ranked.seconds / TIMED_ITERATIONS,
    cpuSecondsPerIteration: ranked.cpuSeconds / TIMED_ITERATIONS,
    referenceCpuSecondsPerIteration: reference.cpuSecondsPerIteration,
  };
}

/** Memory that a run needs in addition to the graph, in the middle of an iteration. */
export function bytesPerUrl(web: DiscoveredWeb, graph: StoredGraph): number {
  // Existing garbage must not be freed between the two measurements. Buffers are freed when the next collection
  // after their own begins.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 3; i++) collect();
  const before = process.memoryUsage().arrayBuffers;
  const run = new PageRankRun(web.pages);
  run.add(graph.segments[0]!);
  const bytes = process.memoryUsage().arrayBuffers - before;
  // Keeps the run in use. Otherwise it could be collected before the second measurement.
  run.add(graph.segments[0]!);
  return bytes / web.pages;
}

export interface Convergence {
  readonly tolerance: number;
  readonly coldIterations: number;
  readonly warmIterations: number;
}

export interface Ranking {
  readonly iterations: number;
  readonly referenceIterations: number;
  /** The largest relative difference among the highest ranks. */
  readonly largestDifference: number;
  readonly convergence: readonly Convergence[];
}

export function rankAndCompare(web: DiscoveredWeb, graph: StoredGraph): Ranking {
  const reference = referenceRanks(web);
  const cold = new PageRankRun(web.pages);
  const coldChanges = finish(cold, graph);
  const { ranks, iterations } = cold.result();

  const known = Math.floor(web.pages / GROWTH);
  const smaller = storeGraph(web, known);
  const before = new PageRankRun(known);
  finish(before, smaller);
  const earlier = before.result().ranks;
  const warmChanges = finish(new PageRankRun(web.pages, { earlier }), graph);

  const convergence = TOLERANCES.map((tolerance) => ({
    tolerance,
    coldIterations: iterationsTo(tolerance, coldChanges),
    warmIterations: iterationsTo(tolerance, warmChanges),
  }));
  const largestDifference = compareTop(ranks, reference.ranks);
  return { iterations, referenceIterations: reference.iterations, largestDifference, convergence };
}

export function compareTop(ranks: Float64Array, reference: Float64Array): number {
  const ids = Uint32Array.from({ length: reference.length - 1 }, (_, i) => i + 1);
  ids.sort((left, right) => reference[right]! - reference[left]!);
  return ids.subarray(0, TOP_PAGES).reduce((most, id) => Math.max(most, Math.abs(ranks[id]! / reference[id]! - 1)), 0);
}

/** Runs to the end and returns the change of each iteration. */
function finish(run: PageRankRun, { segments }: StoredGraph): number[] {
  const changes: number[] = [];
  while (!run.isDone) {
    for (const segment of segments) run.add(segment);
    run.endIteration();
    changes.push(run.change);
  }
  return changes;
}

function iterationsTo(tolerance: number, changes: readonly number[]): number {
  return changes.findIndex((change) => change < tolerance) + 1;
}

function timed(work: () => unknown): { seconds: number; cpuSeconds: number } {
  const startMs = performance.now();
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return { seconds: (performance.now() - startMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}
