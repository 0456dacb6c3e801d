/**
 * Keeps a process small that is nothing but a watcher: fewer threads, and no compiler, only the interpreter. To be called first of all.
 *
 * Compilers take memory of their own, and pages of Node's program that an idle one never touches; what they would save is CPU time, of which
 * the watcher has a share anyway. Measured on Node 24 with 10,000 files swept without a pause: 30 MB beyond an idle Node become 17, and the first
 * sweep takes nearly twice the CPU time, a later one half as much again.
 */
import { setFlagsFromString } from 'node:v8';
import { keepHeapSmall } from './pace/small-heap.ts';

/** Each has a stack and a heap of its own; one that waits for a slow disk must not hold up the other. */
const POOL_THREADS = '2';
const NO_COMPILERS = ['--no-opt', '--no-sparkplug'] as const;
/** Older ones complain of a flag they do not know. */
const FIRST_WITH_MAGLEV = 20;

/** Returns what the pace calls between two pieces of work. */
export function keepProcessSmall(): () => void {
  // Read when the pool is first used, which is not before the first file is.
  process.env.UV_THREADPOOL_SIZE ??= POOL_THREADS;
  for (const flag of NO_COMPILERS) setFlagsFromString(flag);
  if (Number.parseInt(process.versions.node, 10) >= FIRST_WITH_MAGLEV) setFlagsFromString('--no-maglev');
  return keepHeapSmall();
}
