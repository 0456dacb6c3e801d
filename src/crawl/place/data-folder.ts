/** The data folder of a crawl, for later commands: where its archive is, and the facts of earlier runs. */
import { CRAWL_OPTIONS, type CrawlOptions, resolveOptions } from '../../core/options/options.ts';
import { parseRules, type StoredRules, sourceOf } from '../../core/options/stored-rules.ts';
import type { Store } from '../../store/contract.ts';

export const ARCHIVE_FOLDER = 'archive';
export const RULES_NOTE = 'rules';
/** Older versions stored this rule of a cluster in a note of its own. */
export const OLD_ASSIGN_NOTE = 'assign';
const CONCURRENCY_NOTE = 'concurrency';

type Notes = Pick<Store, 'note'>;

/** The stored rules of the crawl. Null if it has none: it is new, or an old version made it. */
export async function readRules(store: Notes): Promise<StoredRules | null> {
  const text = await store.note(RULES_NOTE);
  if (text === null) return null;
  const rules = parseRules(text);
  const isOldAssign = rules.values.assign === undefined && (await store.note(OLD_ASSIGN_NOTE)) === 'ip';
  return isOldAssign ? { ...rules, values: { ...rules.values, assign: 'ip' } } : rules;
}

/** The options of the crawl, for a reader of the copy: its rules, and the defaults of all other options. */
export async function keptOptions(store: Notes): Promise<CrawlOptions> {
  const rules = await readRules(store);
  return resolveOptions(rules === null ? [] : [sourceOf(rules)]);
}

/** The `--concurrency` of the last run, which limits the number of records that a crash can leave uncommitted. */
export async function lastConcurrency(store: Notes): Promise<number> {
  // Older versions stored it among the rules.
  const rules = JSON.parse((await store.note(RULES_NOTE)) ?? '{}') as { readonly concurrency?: unknown };
  return Number((await store.note(CONCURRENCY_NOTE)) ?? rules.concurrency ?? CRAWL_OPTIONS.concurrency.default);
}

export async function noteConcurrency(store: Pick<Store, 'note' | 'setNote'>, concurrency: number): Promise<void> {
  if ((await store.note(CONCURRENCY_NOTE)) !== String(concurrency)) {
    await store.setNote(CONCURRENCY_NOTE, String(concurrency));
  }
}
