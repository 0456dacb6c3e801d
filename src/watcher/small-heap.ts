/**
 * Keeps the heap of a process small that runs for months beside others and has little to do at a time. To be called before
 * anything is allocated; what it brings is in docs/watcher.md.
 */
import { setFlagsFromString } from 'node:v8';

export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
}
