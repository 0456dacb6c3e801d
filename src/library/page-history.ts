/** Every look at a page, as plain data: what `orbweaver history --json` prints. */
import type { ImageChange } from '../change/image/compare-pictures.ts';
import type { Reason } from '../core/reasons.ts';
import type { ToldDifference } from '../crawl/deliver/told-difference.ts';
import type { PageHabits } from '../crawl/page-habits.ts';
import type { Look, LookFinding, Noted, PageHistory } from '../crawl/read-history.ts';
import type { ChangeKind } from '../store/contract.ts';

export interface PageLooks {
  readonly url: string;
  /** All looks that the archive has an answer of, however few are given. */
  readonly total: number;
  /** Newest first. */
  readonly looks: readonly PageLook[];
  /** How often it was looked at, those looks included that found the same; null for a URL that was never answered. */
  readonly visits: PageVisits | null;
  /** Of the time of `looks`, newest first: what happened to it and has no answer in the archive. */
  readonly besides: readonly NotedChange[];
  /** Of an image: up to ten pages that show it now. */
  readonly shownOn: readonly string[];
}

export interface PageLook {
  readonly fetchedAt: Date;
  readonly found: LookFinding;
  readonly status: number;
  /** The media type, without parameters. */
  readonly contentType: string;
  /** Of the decoded body; null where it cannot be read. */
  readonly bytes: number | null;
  /** `sha256:` and the hexadecimal digits of the decoded body's hash; null where there is no content. */
  readonly digest: string | null;
  /** Of the readable text since the content before; null unless both have one and it changed. */
  readonly wordsAdded: number | null;
  readonly wordsRemoved: number | null;
  /** Where a redirect leads, as the server wrote it. */
  readonly leadsTo: string | null;
  /** Of an image that changed: how it looked before and after. */
  readonly image: ImageChange | null;
  /** What a refresh noted of it; null where it noted nothing. */
  readonly noted: NotedChange | null;
  /** What `orbweaver verify --repair` found wrong with it in the archive; null where it found nothing. */
  readonly damage: string | null;
}

export interface NotedChange {
  readonly at: Date;
  readonly kind: ChangeKind;
  /** Of a page that is gone: why. */
  readonly reason: Reason | null;
  /**
   * What changed, and by which rules of noise something was left out (docs/noise.md). `isCut`: the CPU budget of the
   * page was
   * spent, and no more is known than that it changed.
   */
  readonly change: (ToldDifference & { readonly noise: readonly string[]; readonly isCut?: boolean }) | null;
}

export interface PageVisits {
  /** The first among them. */
  readonly looks: number;
  readonly lastAt: Date;
  /** The oldest answer that the archive has. */
  readonly since: Date;
  /** As noted, 1,000 at most; and how often only noise had changed. */
  readonly changes: number;
  readonly noise: number;
  /** The most likely rate; 0 where no change was seen, null where every look found one. */
  readonly changesADay: number | null;
}

/** The fields and their order are a contract. */
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
