/**
 * Whether Orbweaver's copy is the site, and what it tells is what had changed: a data folder and the site in, what is wrong out.
 *
 * The copy is read from its store, page by page, and held against the files that were served. What the command printed has to
 * agree, but is not believed.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ChangeKind, Store } from '../../src/store/contract.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { filePath } from '../web/make.ts';
import type { Site } from './sites.ts';

const ROWS_A_READ = 1_000;

export interface CopyCheck {
  /** Changed pages of which the copy has another content than the site. */
  readonly stale: number;
  /** Unchanged pages of which it has another. */
  readonly spoilt: number;
  readonly missing: number;
}

export interface JournalCheck {
  /** Changed pages that it does not call changed. */
  readonly untold: number;
  /** Other pages of which it tells something. */
  readonly invented: number;
  /** What it calls changed and is no page: the sitemaps themselves. */
  readonly otherDocuments: number;
}

export async function checkCopy(folder: string, { plan, folder: files, changed }: Site): Promise<CopyCheck> {
  const digests = await withStore(folder, readDigests);
  const count = { stale: 0, spoilt: 0, missing: 0 };
  for (let page = 0; page < plan.shape.pages; page++) {
    const kept = digests.get(plan.url(page)) ?? '';
    if (kept === '') count.missing++;
    else if (kept !== (await digestOf(filePath(files, plan, page)))) count[changed.has(page) ? 'stale' : 'spoilt']++;
  }
  return count;
}

/** Of what happened to pages after they were first fetched. */
export async function checkJournal(folder: string, { plan, changed }: Site): Promise<JournalCheck> {
  const told = await withStore(folder, readJournal);
  const count = { untold: 0, invented: 0 };
  for (let page = 0; page < plan.shape.pages; page++) {
    const url = plan.url(page);
    const kinds = told.get(url) ?? [];
    // Told once: twice would be a second change that there was not.
    if (changed.has(page) && kinds.join() !== 'changed') count.untold++;
    if (!changed.has(page) && kinds.length > 0) count.invented++;
    told.delete(url);
  }
  const otherDocuments = [...told.values()].filter((kinds) => kinds.includes('changed')).length;
  return { ...count, otherDocuments };
}

/**
 * What `refresh --json` has to say when nothing was missed and nothing invented; complaints out. Sitemaps that changed with
 * their pages are documents of the copy, too.
 */
export function checkReport(report: unknown, changedPages: number, otherDocuments: number): string[] {
  if (typeof report !== 'object' || report === null) return ['printed no JSON'];
  const found = report as Readonly<Record<string, unknown>>;
  const expected = { new: 0, changed: changedPages + otherDocuments, gone: 0, failed: 0 };
  return Object.entries(expected)
    .filter(([name, count]) => found[name] !== count)
    .map(([name, count]) => `prints ${found[name]} ${name} instead of ${count}`);
}

async function readDigests(store: Store): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (let after = 0; ; ) {
    const records = await store.urls(after, ROWS_A_READ);
    if (records.length === 0) return digests;
    for (const { url, digest } of records) digests.set(url, digest);
    after = records.at(-1)!.id;
  }
}

async function readJournal(store: Store): Promise<Map<string, ChangeKind[]>> {
  const told = new Map<string, ChangeKind[]>();
  for (let after = 0; ; ) {
    const entries = await store.changes(after, ROWS_A_READ);
    if (entries.length === 0) return told;
    for (const { url, kind } of entries) if (kind !== 'new') told.set(url, [...(told.get(url) ?? []), kind]);
    after = entries.at(-1)!.seq;
  }
}

async function withStore<T>(folder: string, read: (store: Store) => Promise<T>): Promise<T> {
  const store = readSqliteStore(folder);
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(path));
  return `sha256:${hash.digest('hex')}`;
}
