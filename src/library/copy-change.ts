/** A change of a page as a program sees it: the fields of docs/deliver.md, with times as dates. */

import type { ToldDifference } from '../change/stored-difference.ts';
import type { ChangeLevel, ChangePart } from '../core/page/change-class.ts';
import type { Reason } from '../core/reasons.ts';
import { describeChange } from '../crawl/delivery/delivered-change.ts';
import type { ChangeEntry, ChangeKind, Store } from '../store/contract.ts';

export interface CopyChange {
  /** The sequence number of the change. Numbers ascend and are never reused. */
  readonly seq: number;
  readonly url: string;
  readonly kind: ChangeKind;
  /** The time when the change was seen. */
  readonly at: Date;
  /** The last title of the page. */
  readonly title: string;
  /** For a page that is gone: the reason. */
  readonly reason: Reason | null;
  /** For a page that changed: the difference. */
  readonly change: ToldDifference | null;
  /**
   * For a page that changed: the level, the part of the page that it touches, and the fingerprint of the edit, which is
   * equal for equal edits on several pages. Null if it is not known.
   */
  readonly level: ChangeLevel | null;
  readonly part: ChangePart | null;
  readonly edit: string | null;
  /** The newest exchange with the page in the archive at that time. */
  readonly archived: ArchivedPlace | null;
}

export interface ArchivedPlace {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly at: Date;
  readonly status: number;
}

export async function toCopyChange(store: Pick<Store, 'capturesOf'>, entry: ChangeEntry): Promise<CopyChange> {
  const { at, archived, edit: _, ...told } = await describeChange(store, entry);
  const { level, part, edit } = entry;
  return {
    ...told,
    ...{ level, part, edit },
    at: new Date(at),
    archived: archived === null ? null : { ...archived, at: new Date(archived.at) },
  };
}
