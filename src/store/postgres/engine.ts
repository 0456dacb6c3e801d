/** The objects that all calls of the store share. They are made once, when the store is opened. */

import type { Database } from './connection/database.ts';
import { Discovery } from './discovery/discovery.ts';
import { HostIdCache } from './discovery/host-id-cache.ts';
import { slotOf } from './leases/tally-writer.ts';
import { StoreMemory } from './store-memory.ts';

export class Engine {
  readonly db: Database;
  /** The row of each total to which this process adds. */
  readonly slot: number;
  readonly hosts: HostIdCache;
  readonly discovery: Discovery;
  readonly memory = new StoreMemory();

  constructor(db: Database, processName: string, ringKeyOf = async (host: string) => host) {
    this.db = db;
    this.slot = slotOf(processName);
    this.hosts = new HostIdCache(db, this.slot, ringKeyOf);
    this.discovery = new Discovery(db, this.hosts, this.memory, this.slot);
  }
}
