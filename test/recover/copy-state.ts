/**
 * Everything that users see of a copy, in a form that can be compared: the export, the history and
 * the links of every page, and the changes.
 */
import { EntryDescriber } from '../../src/copy/describe-entry.ts';
import { readHistory } from '../../src/copy/read-history.ts';
import type { LinkRecord, Store, UrlRecord } from '../../src/store/contract.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { urlKeyHex } from '../../src/url/key.ts';

export interface UrlState {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly looks: readonly unknown[];
  readonly linksFrom: readonly string[];
  readonly linksTo: readonly string[];
}

export interface CopyState {
  readonly urls: ReadonlyMap<string, UrlState>;
  readonly changes: readonly string[];
}

const MOST = 100_000;

/** `every`: history and incoming links are read for one in this many URLs; everything else is read for all URLs. */
export async function copyState(dir: string, every = 1): Promise<CopyState> {
  const store = readSqliteStore(dir);
  try {
    const urls = new Map<string, UrlState>();
    for (let after = 0; ; ) {
      const records = await store.urls(after, 1_000);
      if (records.length === 0) break;
      const inlinks = await store.backlinks(records.map(({ id }) => id));
      for (const [i, record] of records.entries()) {
        urls.set(record.url, await stateOf(store, dir, record, inlinks[i]!, isChosen(record.url, every)));
      }
      after = records.at(-1)!.id;
    }
    // A visit may leave the description to those who read it.
    const describer = new EntryDescriber(store, dir);
    const changes: string[] = [];
    for (const entry of await store.changes(0, MOST)) {
      const { kind, url, title, change } = await describer.described(entry);
      changes.push(`${kind} ${url} ${title} ${change}`);
    }
    return { urls, changes };
  } finally {
    await store.close();
  }
}

/** Chooses the same URLs in every copy. */
function isChosen(url: string, every: number): boolean {
  return Number.parseInt(urlKeyHex(url).slice(0, 8), 16) % every === 0;
}

async function stateOf(
  store: Store,
  dir: string,
  record: UrlRecord,
  inlinks: number,
  inDetail: boolean,
): Promise<UrlState> {
  const { capture, ...rest } = record;
  const names = (links: readonly LinkRecord[]) => links.map(({ url, attributes }) => `${url} ${attributes}`).sort();
  const {
    state,
    reason,
    depth,
    title,
    language,
    bytes,
    digest,
    canonical,
    canonicalVerdict,
    duplicateOf,
    redirectTo,
    outlinks,
    original,
  } = rest;
  const facts = {
    ...{
      state,
      reason,
      depth,
      title,
      language,
      bytes,
      digest,
      canonical,
      canonicalVerdict,
      duplicateOf,
      redirectTo,
      outlinks,
      original,
    },
    inlinks,
    status: capture?.status ?? null,
    contentType: capture?.contentType ?? null,
    fetchedAtMs: capture?.fetchedAtMs ?? null,
    isOrphan: record.orphanedAtMs !== null,
  };
  const looks = inDetail ? (await readHistory(store, dir, record.url, MOST)).looks : [];
  return {
    facts,
    looks: looks.map(({ noted, ...look }) => ({
      ...look,
      noted: noted && { kind: noted.kind, difference: noted.difference },
    })),
    linksFrom: names(await store.linksFrom(record.id)),
    linksTo: inDetail ? names(await store.linksTo(record.id, MOST)) : [],
  };
}
