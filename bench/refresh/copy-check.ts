/**
 * Checks that Orbweaver's copy equals the site, and that the reported changes are the real changes. In: a data folder
 * and the site. Out: the errors.
 *
 * The check reads the copy from its store, page by page, and compares it with the served files. The printed report of
 * the command must agree, but it is not used as evidence.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ChangeKind, Store } from '../../src/store/contract.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { filePath } from '../web/make.ts';
import type { Site } from './sites.ts';

const ROWS_A_READ = 1_000;

export interface CopyCheck {
  /** Changed pages whose content in the copy differs from the site. */
  readonly stale: number;
  /** Unchanged pages whose content in the copy differs from the site. */
  readonly spoilt: number;
  readonly missing: number;
}

export interface JournalCheck {
  /** Changed pages that the copy does not report as changed. */
  readonly untold: number;
  /** Unchanged pages that have an event in the journal. */
  readonly invented: number;
  /** Documents reported as changed that are not pages: the sitemaps. */
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

/** Checks the events of pages after their first fetch. */
export async function checkJournal(folder: string, { plan, changed }: Site): Promise<JournalCheck> {
  const told = await withStore(folder, readJournal);
  const count = { untold: 0, invented: 0 };
  for (let page = 0; page < plan.shape.pages; page++) {
    const url = plan.url(page);
    const kinds = told.get(url) ?? [];
    // A change must be reported once: a second report would be a change that did not happen.
    if (changed.has(page) && kinds.join() !== 'changed') count.untold++;
    if (!changed.has(page) && kinds.length > 0) count.invented++;
    told.delete(url);
  }
  const otherDocuments = [...told.values()].filter((kinds) => kinds.includes('changed')).length;
  return { ...count, otherDocuments };
}

/**
 * Compares the output of `refresh --json` with the real changes and returns the differences. Sitemaps that changed with
 * their pages are documents of the copy, too, so they count as changed.
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
