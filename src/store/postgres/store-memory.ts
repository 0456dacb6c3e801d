/**
 * What a process keeps at hand between commits, to save questions. All of it may be out of date, since others write too: it may only
 * save work, never decide.
 */
export class StoreMemory {}
