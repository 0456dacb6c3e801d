/**
 * The base of all classes that read or write tables. A subclass prepares its statements as fields, once, beside their
 * names: fields of a subclass are set after this constructor.
 */
import type { DatabaseSync } from 'node:sqlite';

export abstract class TableAccess {
  protected readonly db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.db = db;
  }
}
