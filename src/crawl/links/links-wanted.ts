/**
 * Which kinds of links are wanted, and since when. A copy that was crawled without `--images` has pages
 * whose image links were not read, and unchanged pages are not parsed again. So a run that wants more kinds
 * than the last run notes the time it began. Pages last visited before that time have their links read
 * again at their next visit (revisit-url.ts).
 *
 * What always holds: the store knows when each page was last read, so the next refresh continues after a crash or a
 * budget that was too small. The option given to a refresh holds for later refreshes until another value is given.
 */
import type { CrawlOptions } from '../../core/options/options.ts';
import type { Counts, Store } from '../../store/contract.ts';
import { keptOptions } from '../place/data-folder.ts';

/** In ascending order. */
const WANTED = ['documents', 'images', 'assets'] as const;
type Wanted = (typeof WANTED)[number];

const NOTE = 'links-wanted';

interface Noted {
  readonly wanted: Wanted;
  readonly sinceMs: number;
}

/**
 * The links of pages last visited before this time are read again; 0 if no page needs it.
 * Call this before the rules are noted.
 */
export async function rereadBeforeMs(
  store: Store,
  options: CrawlOptions,
  { states }: Pick<Counts, 'states'>,
  nowMs: number,
): Promise<number> {
  const hasPages = states.fetched + states.duplicate > 0;
  const wanted = wantedBy(options);
  const before = await notedIn(store);
  if (before.wanted === wanted && hasPages) return before.sinceMs;
  const isMore = hasPages && WANTED.indexOf(wanted) > WANTED.indexOf(before.wanted);
  const noted: Noted = { wanted, sinceMs: isMore ? nowMs : 0 };
  await store.setNote(NOTE, JSON.stringify(noted));
  return noted.sinceMs;
}

/** Stores the options `--images` and `--revisits` of a refresh among the rules of the crawl. */
export async function noteRefreshRules(store: Store, { images, revisits }: CrawlOptions): Promise<void> {
  const rules = JSON.parse((await store.note('rules')) ?? '{}') as Record<string, unknown>;
  if ((rules.images ?? false) === images && (rules.revisits ?? false) === revisits) return;
  await store.setNote('rules', JSON.stringify({ ...rules, images, revisits }));
}

async function notedIn(store: Store): Promise<Noted> {
  const note = await store.note(NOTE);
  return note === null ? { wanted: wantedBy(await keptOptions(store)), sinceMs: 0 } : (JSON.parse(note) as Noted);
}

function wantedBy({ assets, images }: CrawlOptions): Wanted {
  if (assets) return 'assets';
  return images ? 'images' : 'documents';
}
