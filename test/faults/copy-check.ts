/**
 * Checks a copy from outside. In: a data folder. Out: sentences about what is wrong, none for a sound copy. Every capture that the
 * database knows is read back from the archive, and every page must have one.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { MIGRATIONS } from '../../src/store/sqlite/schema.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

export async function problemsOf(dir: string): Promise<string[]> {
  if (!existsSync(join(dir, 'crawl.db'))) return [];
  const problems = integrityProblems(dir);
  // A database without all of its tables has no pages yet; the next run makes the rest of them.
  if (problems.length > 0 || isBeingMade(dir)) return problems;
  const store = readSqliteStore(dir);
  try {
    const archive = join(dir, 'archive');
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
    for (let after = 0; ; ) {
      const records = await store.urls(after, 1_000);
      for (const { url, state } of records) {
        if (state === 'fetched' && !captured.has(url)) problems.push(`${url} is fetched and has no capture`);
      }
      if (records.length === 0) return problems;
      after = records.at(-1)!.id;
    }
  } finally {
    await store.close();
  }
}

/** State and digest of every URL, for comparing two copies. */
export async function contentsOf(dir: string): Promise<Map<string, string>> {
  const store = readSqliteStore(dir);
  try {
    const found: [string, string][] = [];
    for (let after = 0; ; ) {
      const records = await store.urls(after, 1_000);
      if (records.length === 0) return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
      for (const { url, state, digest } of records) found.push([url, `${state} ${digest}`]);
      after = records.at(-1)!.id;
    }
  } finally {
    await store.close();
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
