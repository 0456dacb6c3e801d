/**
 * A change as it is delivered. In: an entry of the store. Out: only the documented fields (docs/deliver.md). Text
 * from a page is plain text of limited length.
 */

import { readDifference, type ToldDifference } from '../../change/stored-difference.ts';
import { cut } from '../../core/text/truncate-text.ts';
import type { CaptureRecord, ChangeEntry, SharedEdit, Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';

export interface DeliveredChange extends Pick<ChangeEntry, 'seq' | 'url' | 'kind' | 'title' | 'reason'> {
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly change: ToldDifference | null;
  readonly archived: DeliveredCapture | null;
  /** For a changed image: the pages that show it at the time of delivery, at most MAX_SHOWN_ON. Empty otherwise. */
  readonly shownOn: readonly string[];
  /** For a change that stands for the same edit on many pages; null for a change of its own. */
  readonly edit: DeliveredEdit | null;
}

/** An edit of several pages that is delivered once. The page of the change is the first of them. */
export type DeliveredEdit = Pick<SharedEdit, 'edit' | 'pages' | 'level' | 'part' | 'examples'>;

export const MAX_SHOWN_ON = 10;

/** The newest archived exchange with the page at the time of the change. */
export interface DeliveredCapture extends Pick<CaptureRecord, 'file' | 'offset' | 'length' | 'status'> {
  readonly at: string;
}

const MAX_TITLE_CHARS = 500;

export async function describeChange(
  store: Pick<Store, 'capturesOf'>,
  entry: ChangeEntry,
  shownOn: readonly string[] = [],
  shared: DeliveredEdit | null = null,
): Promise<DeliveredChange> {
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
    archived: capture === undefined ? null : placeOf(capture),
    shownOn,
    edit: shared && editOf(shared),
  };
}

function editOf({ edit, pages, level, part, examples }: DeliveredEdit): DeliveredEdit {
  return { edit, pages, level, part, examples };
}

function placeOf({ file, offset, length, fetchedAtMs, status }: CaptureRecord): DeliveredCapture {
  return { file, offset, length, at: isoTime(fetchedAtMs), status };
}

const LATEST_MS = 253_402_300_799_999;

/** Limits the time to years of four digits, which feeds and receivers understand. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(0, Number.isNaN(ms) ? 0 : ms), LATEST_MS)).toISOString();
}
