/** The data folder of a crawl, for all who come after it: where its archive is, and the options it was last run with. */
import {
  CRAWL_OPTIONS,
  type CrawlOptions,
  type GivenOptions,
  OPTION_NAMES,
  type OptionName,
  resolveOptions,
} from '../core/options.ts';
import type { Store } from '../store/contract.ts';

export const ARCHIVE_FOLDER = 'archive';

/**
 * Options that are neither stored with the crawl nor read from there: those that may hold a secret, and who may read
 * the files of
 * this machine. Whoever can write to a shared database could otherwise send our secrets elsewhere, or have our files
 * opened.
 */
export const NEVER_NOTED: readonly OptionName[] = ['header', 'auth', 'proxy', 'leaseKey', 'share'];

/** The options the crawl noted; those it did not note have their defaults. */
export async function keptOptions(store: Pick<Store, 'note'>): Promise<CrawlOptions> {
  return resolveOptions([{ from: 'rules of the crawl', given: await keptGiven(store) }]);
}

/** The same as a source of options, for those who have stronger ones. */
export async function keptGiven(store: Pick<Store, 'note'>): Promise<GivenOptions> {
  const noted = JSON.parse((await store.note('rules')) ?? '{}') as Record<string, unknown>;
  const given: GivenOptions = {};
  for (const name of OPTION_NAMES) {
    const value = noted[name];
    if (value === null || NEVER_NOTED.includes(name)) continue;
    // Noted in milliseconds, where a bare number would be read as seconds.
    const isTime = CRAWL_OPTIONS[name].parse.hint.startsWith('<time>');
    given[name] = isTime && typeof value === 'number' ? `${value}ms` : value;
  }
  return given;
}
