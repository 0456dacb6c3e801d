/** What happened to a page, as a program is told: the fields of docs/deliver.md, with times as dates. */
import type { Reason } from '../core/reasons.ts';
import { tellChange } from '../crawl/deliver/told-change.ts';
import type { ToldDifference } from '../crawl/deliver/told-difference.ts';
import type { ChangeEntry, ChangeKind, Store } from '../store/contract.ts';

export interface CopyChange {
  /** Its number: ascending, never given twice. */
  readonly seq: number;
  readonly url: string;
  readonly kind: ChangeKind;
  /** When it was seen. */
  readonly at: Date;
  /** Of the page, the last one it had. */
  readonly title: string;
  /** Of a page that is gone: why. */
  readonly reason: Reason | null;
  /** Of a page that changed: what. */
  readonly change: ToldDifference | null;
  /** The newest exchange with the page in the archive, as of then. */
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
  const { at, archived, ...told } = await tellChange(store, entry);
  return {
    ...told,
    at: new Date(at),
    archived: archived === null ? null : { ...archived, at: new Date(archived.at) },
  };
}
