/**
 * The seeds and rules of a recovered crawl. In: the user's options, the notes of the earlier database, and the headers
 * of the archive files. Out: the options of the crawl and its seeds. What always holds: the user's values come first.
 * An invalid rule in a file is ignored, because anybody may have written the file.
 */
import { join } from 'node:path';
import { archiveFilesIn } from '../archive/folder-state.ts';
import { warcinfoFields } from '../archive/record-scan.ts';
import type { OptionSource } from '../core/options/option-table.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { parseRules, type SettledRules, settleRules } from '../core/options/stored-rules.ts';
import { normalizeSeeds } from '../crawl/crawl-plan.ts';
import { usualSitemap } from '../crawl/links/sitemap-links.ts';
import { type FileIdentity, identityIn } from '../crawl/mending/crawl-identity.ts';
import { RULES_NOTE, readRules } from '../crawl/place/data-folder.ts';
import type { Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import type { RecordIndex } from './record-index.ts';

/**
 * The archive files of the folder with the crawl identity that each file names. They are sorted by name,
 * and names begin with the time.
 */
export function identitiesIn(archiveDir: string): ReadonlyMap<string, FileIdentity> {
  const files = archiveFilesIn(archiveDir);
  return new Map(files.map((file) => [file, identityIn(warcinfoFields(join(archiveDir, file)))]));
}

/** The rules of the database, or else those of the newest archive file of a crawl. */
export async function rulesFor(
  sources: readonly OptionSource[],
  store: Pick<Store, 'note'>,
  notes: ReadonlyMap<string, string>,
  identities: Iterable<FileIdentity>,
): Promise<SettledRules> {
  const kept = notes.get(RULES_NOTE);
  const noted = (await readRules(store)) ?? (kept === undefined ? null : parseRules(kept));
  const newest = [...identities].filter(({ crawlId }) => crawlId !== null).at(-1);
  const stored = noted ?? newest?.rules ?? null;
  if (stored === null) return settleRules(sources, null);
  const usable = Object.entries(stored.values).filter(([name, value]) => isUsable(name, value));
  return settleRules(sources, { ...stored, values: Object.fromEntries(usable) });
}

function isUsable(name: string, value: unknown): boolean {
  try {
    settleRules([], { values: { [name]: value }, secrets: [] });
    return true;
  } catch {
    return false;
  }
}

/** The user's seeds, the noted seeds and the seeds from files. If there are none, the first page that was fetched. */
export function seedsFor(
  written: readonly string[],
  options: CrawlOptions,
  notes: ReadonlyMap<string, string>,
  identities: Iterable<FileIdentity>,
  index: RecordIndex,
): { readonly seeds: readonly string[]; readonly areGuessed: boolean } {
  const noted = JSON.parse(notes.get('seeds') ?? '[]') as string[];
  const recorded = [...identities].flatMap(({ seeds }) => seeds);
  const known = normalizeSeeds(written, options).concat(noted, usableSeeds(recorded, options));
  if (known.length > 0) return { seeds: [...new Set(known)], areGuessed: false };
  const first = firstUrl(index);
  return { seeds: first === null ? [] : [first], areGuessed: true };
}

/** A crawl requests the usual place of a sitemap together with the seed, and either may answer first. */
function firstUrl(index: RecordIndex): string | null {
  let sitemap: string | null = null;
  for (const { url } of index.after(null)) {
    if (url !== usualSitemap(hostOf(url))) return url;
    sitemap ??= url;
  }
  return sitemap;
}

function usableSeeds(recorded: readonly string[], options: CrawlOptions): string[] {
  return [...new Set(recorded)].flatMap((seed) => {
    try {
      return normalizeSeeds([seed], options);
    } catch {
      return [];
    }
  });
}
