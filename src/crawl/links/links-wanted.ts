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
import type { LinkKind, ParseOptions } from '../../page/parsed-page.ts';
import { CLASS_OF_KIND, classesWanted, LINK_KINDS } from '../../page/reference-kinds.ts';
import type { Counts, Store } from '../../store/contract.ts';
import { keptOptions } from '../place/data-folder.ts';

const IMAGE_KINDS: readonly LinkKind[] = ['img'];

type KindOptions = Pick<CrawlOptions, 'assets' | 'images' | 'guess'>;

/** The kinds of links that a crawl follows. */
export function kindsFollowed(options: KindOptions): ReadonlySet<LinkKind> {
  const classes = classesWanted(options);
  return new Set([
    ...LINK_KINDS.filter((kind) => classes.has(CLASS_OF_KIND[kind])),
    ...(options.images ? IMAGE_KINDS : []),
  ]);
}

/** How a page is parsed for the links that a crawl follows. */
export function linksParsed(options: KindOptions & Pick<CrawlOptions, 'maxLinks' | 'keepFragment'>): LinkParsing {
  const { assets, images, guess, maxLinks, keepFragment } = options;
  // The quick scan reads images. Only assets and guesses need a second pass.
  const classes = images && !assets && !guess ? {} : { classes: classesWanted(options) };
  return { ...classes, maxLinks, keepHashbang: keepFragment === 'hashbang' };
}

export type LinkParsing = Pick<ParseOptions, 'classes' | 'maxLinks' | 'keepHashbang'>;

/** What each word adds to the wanted kinds. Assets include images. */
const ADDED = { documents: [], images: ['images'], assets: ['images', 'assets'], guess: ['guess'] } as const;

const NOTE = 'links-wanted';

interface Noted {
  /** Words of ADDED, separated by spaces. */
  readonly wanted: string;
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
  const had = addedBy(before.wanted);
  const isMore = hasPages && [...addedBy(wanted)].some((added) => !had.has(added));
  const noted: Noted = { wanted, sinceMs: isMore ? nowMs : 0 };
  await store.setNote(NOTE, JSON.stringify(noted));
  return noted.sinceMs;
}

async function notedIn(store: Store): Promise<Noted> {
  const note = await store.note(NOTE);
  return note === null ? { wanted: wantedBy(await keptOptions(store)), sinceMs: 0 } : (JSON.parse(note) as Noted);
}

function wantedBy({ assets, images, guess }: KindOptions): string {
  const kinds = assets ? 'assets' : images ? 'images' : 'documents';
  return guess ? `${kinds} guess` : kinds;
}

function addedBy(wanted: string): ReadonlySet<string> {
  return new Set(wanted.split(' ').flatMap((word): readonly string[] => ADDED[word as keyof typeof ADDED] ?? []));
}
