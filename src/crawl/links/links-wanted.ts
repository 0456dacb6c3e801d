/**
 * Which links of pages are wanted, and since when. A copy that was crawled without `--images` has read its pages without
 * their images, and pages that do not change are not read again; so a run that wants more than the last notes when it began, and what
 * was last looked at before then has its links read anew at its next look (reread-links.ts).
 *
 * Always: which page was read when is in the store already, so that after a crash, or a budget that was too small, the next
 * refresh goes on. What a refresh is given counts for those to come, until it is told otherwise.
 */
import type { CrawlOptions } from '../core/options.ts';
import type { Counts, Store } from '../store/contract.ts';
import { keptOptions } from './data-folder.ts';

/** From less to more. */
const WANTED = ['documents', 'images', 'assets'] as const;
type Wanted = (typeof WANTED)[number];

const NOTE = 'links-wanted';

interface Noted {
  readonly wanted: Wanted;
  readonly sinceMs: number;
}

/** Pages that were last looked at before this time have their links read anew; 0 where none has to. To be asked before the rules are noted. */
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

/** The images that a refresh was given, or not, among the rules of the crawl. */
export async function noteImages(store: Store, { images }: CrawlOptions): Promise<void> {
  const rules = JSON.parse((await store.note('rules')) ?? '{}') as Record<string, unknown>;
  if ((rules.images ?? false) !== images) await store.setNote('rules', JSON.stringify({ ...rules, images }));
}

async function notedIn(store: Store): Promise<Noted> {
  const note = await store.note(NOTE);
  return note === null ? { wanted: wantedBy(await keptOptions(store)), sinceMs: 0 } : (JSON.parse(note) as Noted);
}

function wantedBy({ assets, images }: CrawlOptions): Wanted {
  if (assets) return 'assets';
  return images ? 'images' : 'documents';
}
