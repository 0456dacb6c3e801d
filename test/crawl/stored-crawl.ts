/** Reads what a crawl left in its data folder, as a later command would, and recounts it row by row. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { URL_STATES, type UrlRecord } from '../../src/store/contract.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** A data folder that is removed after the test. */
export function dataFolder(t: Pick<TestContext, 'after'>): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-crawl-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Every URL that the crawl knows, by URL. */
export async function storedUrls(dir: string): Promise<Map<string, UrlRecord>> {
  const store = readSqliteStore(dir);
  try {
    const found = new Map<string, UrlRecord>();
    for (let after = 0; ; ) {
      const records = await store.urls(after, 1_000);
      if (records.length === 0) return found;
      for (const record of records) {
        assert.ok(!found.has(record.url), `${record.url} is known twice`);
        found.set(record.url, record);
      }
      after = records.at(-1)!.id;
    }
  } finally {
    await store.close();
  }
}

/**
 * `state` or `state/reason` of each URL, to compare all of them at once. The usual place of a sitemap is left out: it
 * is tried on every host, and no page names it.
 */
export function fates(records: Iterable<UrlRecord>): Record<string, string> {
  const named = [...records].filter(({ reason }) => reason !== 'no-sitemap');
  const all = named.map(({ url, state, reason }) => [url, reason === null ? state : `${state}/${reason}`]);
  return Object.fromEntries(all.sort());
}

/** Changes the database directly: makes time pass, and does other things that a test cannot wait for. */
export function edit(dir: string, sql: string, ...values: number[]): void {
  const db = new DatabaseSync(join(dir, 'crawl.db'));
  db.prepare(sql).run(...values);
  db.close();
}

/** Asserts that the database is consistent and that its stored counts equal the counts of its rows. */
export async function assertSound(dir: string): Promise<void> {
  const store = readSqliteStore(dir);
  const { states, reasons, retrying, hosts, bytes } = await store.counts();
  await store.close();
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  try {
    assert.deepEqual(db.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
    const recounted = Object.fromEntries(URL_STATES.map((state, i) => [state, count(db, `urls WHERE state = ${i}`)]));
    assert.deepEqual(states, recounted);
    const byReason = db
      .prepare('SELECT reason, count(*) AS n FROM urls WHERE state <> 0 AND reason IS NOT NULL GROUP BY reason')
      .all() as { reason: string; n: number }[];
    assert.deepEqual({ ...reasons }, Object.fromEntries(byReason.map(({ reason, n }) => [reason, n])));
    assert.equal(retrying, count(db, 'urls WHERE state = 0 AND failures > 0'));
    assert.equal(hosts, count(db, 'hosts'));
    assert.equal(bytes, (db.prepare('SELECT coalesce(sum(bytes), 0) AS n FROM pages').get() as { n: number }).n);
    const wrongHosts = db
      .prepare(
        `SELECT host FROM hosts h WHERE waiting <> (SELECT count(*) FROM urls WHERE host_id = h.id AND state = 0)
         OR fetched <> (SELECT count(*) FROM urls WHERE host_id = h.id AND state IN (1, 2))
         OR failed <> (SELECT count(*) FROM urls WHERE host_id = h.id AND state = 4)`,
      )
      .all();
    assert.deepEqual(wrongHosts, []);
  } finally {
    db.close();
  }
}

function count(db: DatabaseSync, from: string): number {
  return (db.prepare(`SELECT count(*) AS n FROM ${from}`).get() as { n: number }).n;
}
