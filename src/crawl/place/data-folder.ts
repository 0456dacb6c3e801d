/** The data folder of a crawl, for later commands: where its archive is, and the options of its last run. */
import {
  CRAWL_OPTIONS,
  type CrawlOptions,
  type GivenOptions,
  OPTION_NAMES,
  type OptionName,
  resolveOptions,
} from '../../core/options/options.ts';
import type { Store } from '../../store/contract.ts';

export const ARCHIVE_FOLDER = 'archive';

/**
 * Options that are neither stored with the crawl nor read from the store: options that may hold a secret, and the
 * option that says who may read the files of this machine. Otherwise anybody who can write to a shared database could
 * have our secrets sent elsewhere, or our files opened.
 */
export const NEVER_NOTED: readonly OptionName[] = ['header', 'auth', 'proxy', 'leaseKey', 'share'];

/** The stored options of the crawl. Options that were not stored have their defaults. */
export async function keptOptions(store: Pick<Store, 'note'>): Promise<CrawlOptions> {
  return resolveOptions([{ from: 'rules of the crawl', given: await keptGiven(store) }]);
}

/** The stored options as a source of options, which stronger sources can override. */
export async function keptGiven(store: Pick<Store, 'note'>): Promise<GivenOptions> {
  const noted = JSON.parse((await store.note('rules')) ?? '{}') as Record<string, unknown>;
  const given: GivenOptions = {};
  for (const name of OPTION_NAMES) {
    const value = noted[name];
    if (value === null || NEVER_NOTED.includes(name)) continue;
    // The stored value is in milliseconds, but a bare number would be parsed as seconds.
    const isTime = CRAWL_OPTIONS[name].parse.hint.startsWith('<time>');
    given[name] = isTime && typeof value === 'number' ? `${value}ms` : value;
  }
  return given;
}
