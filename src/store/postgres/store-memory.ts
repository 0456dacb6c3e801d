/**
 * The caches of a process between commits, which save queries. All of them may be out of date, since other
 * workers write, too: they may only save work, never decide.
 */
import { BoilerplateCache } from './commit/boilerplate-cache.ts';
import { UrlIdCache } from './discovery/url-id-cache.ts';

export class StoreMemory {
  readonly knownIds = new UrlIdCache();
  readonly commonPrints = new BoilerplateCache();
  /** Links and rows of the graph since this process last counted or joined them; null until it has been read. */
  uncountedLinks: number | null = null;
  unjoinedRows = 0;
}
