/** What became of the bad URLs: a data folder in, one sentence for each that did not end as it has to out. */
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
    // All copies of a page that is kept have the same content, and the first one wins.
    const isCopy = copies.get(`${as} ${name}`)! > 1 && expected.startsWith('fetched');
    if (isCopy && fate === 'duplicate/duplicate-content') return [];
    return [`${as} ${name}: ${fate} instead of ${expected}`];
  });
}
