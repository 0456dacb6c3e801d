import { ON_TOPIC } from '../core/on-topic.ts';
import type { Tally } from './tally.ts';

/** One page more or less in the copy. */
export function countPage(
  { bytes, relevance }: { readonly bytes: number; readonly relevance: number | null },
  by: 1 | -1,
  tally: Tally,
): void {
  tally.add('bytes', by * bytes);
  if (relevance === null) return;
  tally.add('judged', by);
  tally.add('on-topic', relevance >= ON_TOPIC ? by : 0);
}
