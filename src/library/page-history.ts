/** Every look at a page, as plain data: what `orbweaver history --json` prints. */
import type { ImageChange } from '../change/image/compare-pictures.ts';
import type { Look, LookFinding, PageHistory } from '../crawl/read-history.ts';

export interface PageLooks {
  readonly url: string;
  /** All looks, however few are given. */
  readonly total: number;
  /** Newest first. */
  readonly looks: readonly PageLook[];
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
}

/** The fields and their order are a contract. */
export function toPageLooks({ url, total, looks, shownOn }: PageHistory): PageLooks {
  return { url, total, looks: looks.map(toPageLook), shownOn };
}

function toPageLook(look: Look): PageLook {
  const { fetchedAtMs, found, status, contentType, bytes, digest, wordsAdded, wordsRemoved, leadsTo, image } = look;
  const fetchedAt = new Date(fetchedAtMs);
  return { fetchedAt, found, status, contentType, bytes, digest, wordsAdded, wordsRemoved, leadsTo, image };
}
