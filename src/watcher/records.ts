/** Plain data that the parts of the watcher exchange. docs/watcher-report.md describes the fields that crawlers see. */

/** The kinds of changes. A moved page is new at its new URL and deleted at its old URL, and each names the other. */
export const CHANGES = ['new', 'updated', 'deleted'] as const;
export type ChangeKind = (typeof CHANGES)[number];

/** The events that are examined (W4). */
export const EVENT_NAMES = ['onload', 'onclick', 'ondblclick', 'onmouseover'] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** The effect of a script of a page on an event (W4). Similar events are merged into one, with lists (W5). */
export interface DynamicEvent {
  readonly events: readonly EventName[];
  /** The elements that trigger it, such as `div#next`. */
  readonly sources: readonly string[];
  /** The updated part of the page, such as `text.innerHTML`; '' if it is unknown. */
  readonly target: string;
  /** The assigned value, or the called function, such as `Updateinfo()`. */
  readonly value: string;
}

/** The file system's data about a file. While all of it is the same, the content is the same. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

/** A page as it was at the last check. */
export interface WatchedPage {
  /**
   * The root number and the path below the root, with `/` in between: `0/docs/index.html`. The key of
   * a page rendered by a program: `~/docs/`.
   */
  readonly key: string;
  /** The path on the site, percent-encoded, from the first `/` on. */
  readonly url: string;
  /** All zero if there is no file. */
  readonly stamp: FileStamp;
  /**
   * The file was read so soon after a write that it may have been written again within the same clock
   * tick. It is read again at the next sweep.
   */
  readonly isFresh: boolean;
  /** SHA-256 of the content, base64url. */
  readonly hash: string;
  /** Number of updates: f of W3. */
  readonly updates: number;
  /** Time of the last change, or when the page was first seen. */
  readonly changedAtMs: number;
  /** The number of the last change; 0 if the page existed from the start. */
  readonly seq: number;
  readonly events: readonly DynamicEvent[];
}

/** One change, as the journal stores it. */
export interface Change {
  /** One more than the previous change. A number is never given twice. */
  readonly seq: number;
  readonly kind: ChangeKind;
  readonly atMs: number;
  /** The page that was found, or the last state of a deleted page. */
  readonly page: WatchedPage;
  /** The previous hash; null if there was no page. */
  readonly was: string | null;
  /** For a new page that was moved: its old URL. */
  readonly from: string | null;
  /** For a deleted page that was moved: its new URL. */
  readonly to: string | null;
}
