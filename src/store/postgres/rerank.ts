/** New places of waiting URLs in their hosts' queues (stub). */
import type { NewRank } from '../contract.ts';
import type { WorkingSet } from './working-set.ts';

export async function rerank(_set: WorkingSet, _ranks: readonly NewRank[]): Promise<void> {}
