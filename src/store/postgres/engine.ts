/** What all calls of the store go through: made once, when it is opened. */

import type { Database } from './database.ts';
import { Discovery } from './discovery.ts';
import { HostBook } from './host-book.ts';
import { IdSource } from './id-source.ts';
import type { Parts } from './parts.ts';
import { StoreMemory } from './store-memory.ts';
import { slotOf } from './tally-writer.ts';

export class Engine {
  readonly db: Database;
  readonly parts: Parts;
  /** Which row of each total this process adds to. */
  readonly slot: number;
  readonly hosts: HostBook;
  readonly discovery: Discovery;
  readonly memory = new StoreMemory();

  constructor(db: Database, parts: Parts, processName: string, ringKeyOf = async (host: string) => host) {
    this.db = db;
    this.parts = parts;
    this.slot = slotOf(processName);
    this.hosts = new HostBook(db, this.parts, this.slot, ringKeyOf);
    this.discovery = new Discovery(db, this.parts, new IdSource(db.schema), this.hosts, this.memory, this.slot);
  }
}
