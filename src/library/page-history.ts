/** The visits to a page as plain data: the output of `orbweaver history --json`. */
import type { PageHabits } from '../copy/page-habits.ts';
import type { Look, Noted, PageHistory } from '../copy/read-history.ts';

export interface PageLooks extends Pick<PageHistory, 'url' | 'total' | 'shownOn'> {
  /** Newest first. */
  readonly looks: readonly PageLook[];
  /** Counts of all visits, including visits that found no change. Null for a URL that was never answered. */
  readonly visits: PageVisits | null;
  /** Changes from the period of `looks` that have no response in the archive, newest first. */
  readonly besides: readonly NotedChange[];
}

export interface PageLook extends Omit<Look, 'fetchedAtMs' | 'noted'> {
  readonly fetchedAt: Date;
  /** The change that a refresh noted for this visit, or null. */
  readonly noted: NotedChange | null;
}

export interface NotedChange extends Pick<Noted, 'kind' | 'reason' | 'level' | 'part' | 'pages'> {
  readonly at: Date;
  readonly change: Noted['difference'];
}

export interface PageVisits extends Pick<PageHabits, 'looks' | 'changes' | 'noise'> {
  readonly lastAt: Date;
  /** The time of the oldest response in the archive. */
  readonly since: Date;
  /** The most likely rate. 0 if no change was seen, null if every visit found a change. */
  readonly changesADay: number | null;
}

/** The fields and their order are a stable interface. */
export function toPageLooks({ url, total, looks, habits, besides, shownOn }: PageHistory): PageLooks {
  return {
    url,
    total,
    looks: looks.map(toPageLook),
    visits: habits === null ? null : toPageVisits(habits),
    besides: besides.map(toNotedChange),
    shownOn,
  };
}

function toPageLook(look: Look): PageLook {
  const { fetchedAtMs, found, status, contentType, bytes, digest, wordsAdded, wordsRemoved, leadsTo, image, damage } =
    look;
  const fetchedAt = new Date(fetchedAtMs);
  const noted = look.noted === null ? null : toNotedChange(look.noted);
  const words = { wordsAdded, wordsRemoved };
  return { fetchedAt, found, status, contentType, bytes, digest, ...words, leadsTo, image, noted, damage };
}

function toNotedChange({ atMs, kind, reason, level, part, pages, difference }: Noted): NotedChange {
  return { at: new Date(atMs), kind, reason, level, part, change: difference, pages };
}

export function toPageVisits({ looks, lastAtMs, sinceMs, changes, noise, changesADay }: PageHabits): PageVisits {
  return {
    looks,
    lastAt: new Date(lastAtMs),
    since: new Date(sinceMs),
    changes,
    noise,
    changesADay: Number.isFinite(changesADay) ? Number(changesADay.toPrecision(4)) : null,
  };
}
