/**
 * The versions of a page. In: all its captures. Out: its contents, the oldest first, each with the time for which the
 * copy had it. The rule is that of `export --at`: errors that come and go are passed over, a redirect or a 404 ends a
 * version, and the same bytes again continue it.
 */
import { STILL_CURRENT } from '../../../../search/versions/version-table.ts';
import type { CaptureRecord } from '../../../../store/contract.ts';
import { isContent, isTelling } from '../../../place/read-archived.ts';

export interface PageVersion {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The first capture of the content. */
  readonly capture: CaptureRecord;
}

export function versionsOf(newestFirst: readonly CaptureRecord[]): PageVersion[] {
  const versions: PageVersion[] = [];
  let current: PageVersion | null = null;
  for (const capture of newestFirst.toReversed()) {
    if (!isTelling(capture)) continue;
    const isPage = isContent(capture);
    if (isPage && current?.capture.payloadDigest === capture.payloadDigest) continue;
    if (current !== null) versions.push({ ...current, untilMs: capture.fetchedAtMs });
    current = isPage ? { fromMs: capture.fetchedAtMs, untilMs: STILL_CURRENT, capture } : null;
  }
  return current === null ? versions : [...versions, current];
}
