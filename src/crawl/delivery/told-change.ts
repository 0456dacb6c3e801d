/**
 * A change as others are told of it. In: an entry of the store. Out: the documented fields (docs/deliver.md), and nothing
 * else. What a page wrote is in them as plain text of bounded length.
 */
import type { Reason } from '../../core/reasons.ts';
import type { ChangeEntry, ChangeKind, Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import { cut } from './cut.ts';
import { readDifference, type ToldDifference } from './told-difference.ts';

export interface ToldChange {
  readonly seq: number;
  readonly url: string;
  readonly kind: ChangeKind;
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly title: string;
  readonly reason: Reason | null;
  readonly change: ToldDifference | null;
  readonly archived: ToldCapture | null;
  /** Of an image that changed: pages that show it, at most MAX_SHOWN_ON, as of the telling. Else none. */
  readonly shownOn: readonly string[];
}

export const MAX_SHOWN_ON = 10;

/** The newest exchange with the page in the archive, as of the change. */
export interface ToldCapture {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly at: string;
  readonly status: number;
}

const MAX_TITLE_CHARS = 500;

export async function tellChange(
  store: Pick<Store, 'capturesOf'>,
  entry: ChangeEntry,
  shownOn: readonly string[] = [],
): Promise<ToldChange> {
  const { seq, url, kind, atMs, title, reason, change } = entry;
  const [capture] = await store.capturesOf(hostOf(url), urlKeyHex(url), atMs, 1);
  return {
    seq,
    url,
    kind,
    at: isoTime(atMs),
    title: cut(title, MAX_TITLE_CHARS),
    reason,
    change: change === null ? null : readDifference(change),
    archived:
      capture === undefined
        ? null
        : {
            file: capture.file,
            offset: capture.offset,
            length: capture.length,
            at: isoTime(capture.fetchedAtMs),
            status: capture.status,
          },
    shownOn,
  };
}

const LATEST_MS = 253_402_300_799_999;

/** Feeds and receivers know years of four digits. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(0, Number.isNaN(ms) ? 0 : ms), LATEST_MS)).toISOString();
}
