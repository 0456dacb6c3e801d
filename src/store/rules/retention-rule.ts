/**
 * Which captures of one URL a rule leaves over. A *version* is a row of captures with the same payload, and goes or stays as
 * a whole. Errors and redirects are looks, not contents: each is judged by the same rule, but among looks alone, so that a
 * week of failures takes no version's place. The newest of both always stays.
 */
import type { CaptureRecord } from './records.ts';
import type { KeptContents } from './retention-records.ts';

export interface Judged {
  /** Positions among the given captures. */
  readonly superfluous: readonly number[];
  /** With `sinceMs` from here on more of them are superfluous. */
  readonly nextSinceMs: number;
}

interface Series {
  versions: number;
  /** What the version under way has in common. */
  same: string | number;
  beganMs: number;
  /** When the version after that one began. */
  supersededMs: number;
}

export function judgeCaptures(
  newestFirst: readonly Pick<CaptureRecord, 'fetchedAtMs' | 'status' | 'payloadDigest'>[],
  keep: KeptContents,
): Judged {
  const contents = emptySeries();
  const looks = emptySeries();
  const superfluous: number[] = [];
  let nextSinceMs = Number.MAX_SAFE_INTEGER;
  for (const [i, { fetchedAtMs, status, payloadDigest }] of newestFirst.entries()) {
    const isContent = status >= 200 && status < 300;
    const series = isContent ? contents : looks;
    const same = isContent ? payloadDigest : fetchedAtMs;
    if (series.versions === 0 || same !== series.same) {
      series.versions++;
      series.same = same;
      series.supersededMs = series.beganMs;
    }
    series.beganMs = fetchedAtMs;
    if (series.versions === 1) continue;
    if (keep.kind === 'newest' ? series.versions > keep.contents : series.supersededMs <= keep.sinceMs) {
      superfluous.push(i);
    } else nextSinceMs = Math.min(nextSinceMs, series.supersededMs);
  }
  return { superfluous, nextSinceMs };
}

function emptySeries(): Series {
  return { versions: 0, same: '', beganMs: 0, supersededMs: 0 };
}
