/** Checks the results of the bad URLs. In: a data folder. Out: one sentence for each URL with an unexpected result. */
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { BadUrl } from './bad-hosts.ts';

const URLS_A_READ = 1_000;

export async function readFates(folder: string): Promise<Map<string, string>> {
  const store = readSqliteStore(folder);
  try {
    const fates = new Map<string, string>();
    for (let after = 0; ; ) {
      const records = await store.urls(after, URLS_A_READ);
      if (records.length === 0) return fates;
      for (const { url, state, reason } of records) fates.set(url, reason === null ? state : `${state}/${reason}`);
      after = records.at(-1)!.id;
    }
  } finally {
    await store.close();
  }
}

export function unexpectedFates(bad: readonly BadUrl[], fates: ReadonlyMap<string, string>): string[] {
  const copies = new Map<string, number>();
  for (const { name, as } of bad) copies.set(`${as} ${name}`, (copies.get(`${as} ${name}`) ?? 0) + 1);
  return bad.flatMap(({ name, as, url, expected }) => {
    const fate = fates.get(url) ?? 'unknown';
    if (fate === expected) return [];
    // All copies of a fetched page have the same content, so the first one is stored and the others are duplicates.
    const isCopy = copies.get(`${as} ${name}`)! > 1 && expected.startsWith('fetched');
    if (isCopy && fate === 'duplicate/duplicate-content') return [];
    return [`${as} ${name}: ${fate} instead of ${expected}`];
  });
}
