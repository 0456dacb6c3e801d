/** The visits to a page as plain data: the output of `orbweaver history --json`. */
import type { ImageChange } from '../change/image/compare-pictures.ts';
import type { ToldDifference } from '../change/told-difference.ts';
import type { PageHabits } from '../copy/page-habits.ts';
import type { Look, LookFinding, Noted, PageHistory } from '../copy/read-history.ts';
import type { Reason } from '../core/reasons.ts';
import type { ChangeKind } from '../store/contract.ts';

export interface PageLooks {
  readonly url: string;
  /** Number of all archived responses, even if fewer are returned. */
  readonly total: number;
  /** Newest first. */
  readonly looks: readonly PageLook[];
  /** Counts of all visits, including visits that found no change. Null for a URL that was never answered. */
  readonly visits: PageVisits | null;
  /** Changes from the period of `looks` that have no response in the archive, newest first. */
  readonly besides: readonly NotedChange[];
  /** For an image: up to ten pages that show it now. */
  readonly shownOn: readonly string[];
}

export interface PageLook {
  readonly fetchedAt: Date;
  readonly found: LookFinding;
  readonly status: number;
  /** The media type without parameters. */
  readonly contentType: string;
  /** Bytes of the decoded body. Null if it cannot be read. */
  readonly bytes: number | null;
  /** `sha256:` and the hexadecimal hash of the decoded body. Null if there is no content. */
  readonly digest: string | null;
  /**
   * Word counts of the change in the readable text since the version before. Null unless both
   * versions have text and it changed.
   */
  readonly wordsAdded: number | null;
  readonly wordsRemoved: number | null;
  /** The target of a redirect, as the server wrote it. */
  readonly leadsTo: string | null;
  /** For an image that changed: how it looked before and after. */
  readonly image: ImageChange | null;
  /** The change that a refresh noted for this visit, or null. */
  readonly noted: NotedChange | null;
  /** The damage that `orbweaver verify --repair` found in the archived response, or null. */
  readonly damage: string | null;
}

export interface NotedChange {
  readonly at: Date;
  readonly kind: ChangeKind;
  /** For a page that is gone: the reason. */
  readonly reason: Reason | null;
  /**
   * The difference, and the names of the noise rules that left something out (docs/noise.md). `isCut`: the CPU budget
   * of the page was spent, so only the fact of a change is known.
   */
  readonly change: (ToldDifference & { readonly noise: readonly string[]; readonly isCut?: boolean }) | null;
}

export interface PageVisits {
  /** Number of visits, including the first. */
  readonly looks: number;
  readonly lastAt: Date;
  /** The time of the oldest response in the archive. */
  readonly since: Date;
  /** Number of noted changes, at most 1,000, and number of visits that found only noise. */
  readonly changes: number;
  readonly noise: number;
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

function toNotedChange({ atMs, kind, reason, difference }: Noted): NotedChange {
  return { at: new Date(atMs), kind, reason, change: difference };
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
