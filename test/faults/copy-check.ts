/**
 * Checks a copy from outside. In: the location of the copy. Out: sentences about problems, none for a sound copy. Every
 * capture that the database knows is read back from the archive, and every page must have a capture.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { placeAt, type Where } from '../../src/crawl/place/crawl-place.ts';
import { readStoreAt } from '../../src/crawl/place/open-store.ts';
import type { Store, UrlRecord } from '../../src/store/contract.ts';
import { MIGRATIONS } from '../../src/store/sqlite/schema.ts';

export async function problemsOf(where: Where): Promise<string[]> {
  const { dir, cluster, archives } = placeAt(where);
  if (cluster === null) {
    if (!existsSync(join(dir, 'crawl.db'))) return [];
    const problems = integrityProblems(dir);
    // A database without all of its tables has no pages yet. The next run creates the missing tables.
    if (problems.length > 0 || isBeingMade(dir)) return problems;
  }
  const store = await readStoreAt(where);
  try {
    return await captureProblems(store, archives[0]!);
  } finally {
    await store.close();
  }
}

async function captureProblems(store: Store, archive: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [file, bytes] of await store.archiveFiles()) {
    const have = statSync(join(archive, file), { throwIfNoEntry: false })?.size ?? 0;
    if (have < bytes) problems.push(`${file} has ${have} bytes, ${bytes} are committed`);
  }
  const captured = new Set<string>();
  for await (const capture of store.captures((url) => url)) {
    captured.add(capture.url);
    const read = await readCapture(archive, capture, (digest) => store.payloadPlace(digest)).catch((error) => {
      problems.push(`${capture.url} at ${capture.file}:${capture.offset}: ${(error as Error).message}`);
    });
    if (read && read.url !== capture.url) problems.push(`${capture.url} leads to the record of ${read.url}`);
    if (read && read.payloadDigest !== capture.payloadDigest) problems.push(`${capture.url} has another digest`);
  }
  for (const { url, state } of await urlsOf(store)) {
    if (state === 'fetched' && !captured.has(url)) problems.push(`${url} is fetched and has no capture`);
  }
  return problems;
}

/** State and digest of every URL, to compare two copies. */
export async function contentsOf(where: Where): Promise<Map<string, string>> {
  const store = await readStoreAt(where);
  try {
    return new Map((await urlsOf(store)).map(({ url, state, digest }) => [url, `${state} ${digest}`]));
  } finally {
    await store.close();
  }
}

async function urlsOf(store: Store): Promise<UrlRecord[]> {
  const found: UrlRecord[] = [];
  for (;;) {
    const some = await store.urls(found.at(-1)?.id ?? 0, 1_000);
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function integrityProblems(dir: string): string[] {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  try {
    const rows = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  } finally {
    db.close();
  }
}

function isBeingMade(dir: string): boolean {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  try {
    return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version < MIGRATIONS.length;
  } finally {
    db.close();
  }
}
