/** What the parts of the watcher hand to each other: plain data. docs/watcher-report.md is what crawlers are told of it. */

/** What can happen to a page. One that moved is new at its new address and deleted at its old one, each naming the other. */
export const CHANGES = ['new', 'updated', 'deleted'] as const;
export type ChangeKind = (typeof CHANGES)[number];

/** The events that are examined (W4). */
export const EVENT_NAMES = ['onload', 'onclick', 'ondblclick', 'onmouseover'] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** What a script of a page does on an event (W4); similar ones are one, with sets (W5). */
export interface DynamicEvent {
  readonly events: readonly EventName[];
  /** The elements that trigger it, such as `div#next`. */
  readonly sources: readonly string[];
  /** What is updated, such as `text.innerHTML`; '' where that is not to be seen. */
  readonly target: string;
  /** What is assigned to it, or the function that is called, such as `Updateinfo()`. */
  readonly value: string;
}

/** What the file system says of a file: while all of it is the same, so is the content. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

/** A page as it was when it was last looked at. */
export interface WatchedPage {
  /** The number of its root and its path below that, `/` between: `0/docs/index.html`. One that a program renders: `~/docs/`. */
  readonly key: string;
  /** Its path on the site, percent-encoded, from the first `/` on. */
  readonly url: string;
  /** All zero where there is no file. */
  readonly stamp: FileStamp;
  /** The time was so near that the file may have been written again within the same tick: it is read again at the next sweep. */
  readonly isFresh: boolean;
  /** SHA-256 of the content, base64url. */
  readonly hash: string;
  /** How often it was updated: f of W3. */
  readonly updates: number;
  /** When it last changed, or was first seen. */
  readonly changedAtMs: number;
  /** The number of its last change; 0 where it was there from the start. */
  readonly seq: number;
  readonly events: readonly DynamicEvent[];
}

/** One thing that happened, as the journal keeps it. */
export interface Change {
  /** One more than that of the change before; never given twice. */
  readonly seq: number;
  readonly kind: ChangeKind;
  readonly atMs: number;
  /** What was found; of a deleted page, what was there last. */
  readonly page: WatchedPage;
  /** The hash before; null where there was no page. */
  readonly was: string | null;
  /** Of a new page that another has become: the URL of that one. */
  readonly from: string | null;
  /** Of a deleted page: the URL it has now. */
  readonly to: string | null;
}
