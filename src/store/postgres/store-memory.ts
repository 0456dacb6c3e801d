/**
 * What a process keeps at hand between commits, to save questions. All of it may be out of date, since others write too: it may only
 * save work, never decide.
 */
import { CommonPrints } from './common-prints.ts';
import { KnownIds } from './known-ids.ts';

export class StoreMemory {
  readonly knownIds = new KnownIds();
  readonly commonPrints = new CommonPrints();
  /** Links, and rows of the graph, since this process last counted or joined; null while nobody has looked. */
  uncountedLinks: number | null = null;
  unjoinedRows = 0;
}
