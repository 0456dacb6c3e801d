/**
 * Which captures of one URL the retention rule does not keep. A *version* is a run of captures with the same payload,
 * and is kept or dropped as a whole. A 304 belongs to the version that it confirmed. Errors and redirects are not
 * contents: each is judged by the same rule, but only among errors and redirects, so that a week of failures does not
 * push out a version. The newest of both kinds always stays.
 */
import type { CaptureRecord } from '../records/records.ts';
import type { KeptContents } from '../records/retention-records.ts';

export interface Judged {
  /** Positions in the given list of captures. */
  readonly superfluous: readonly number[];
  /** From this value of `sinceMs` on, more captures are superfluous. */
  readonly nextSinceMs: number;
}

interface Series {
  versions: number;
  /** The value that all captures of the current version share. */
  same: string | number;
  beganMs: number;
  /** When the next newer version began. */
  supersededMs: number;
}

export function judgeCaptures(
  newestFirst: readonly Pick<CaptureRecord, 'fetchedAtMs' | 'status' | 'payloadDigest' | 'revisit'>[],
  keep: KeptContents,
): Judged {
  const contents = emptySeries();
  const looks = emptySeries();
  const superfluous: number[] = [];
  let nextSinceMs = Number.MAX_SAFE_INTEGER;
  for (const [i, { fetchedAtMs, status, payloadDigest, revisit }] of newestFirst.entries()) {
    const isContent = (status >= 200 && status < 300) || (status === 304 && revisit);
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

/**
 * How a retention round proceeds: which pages were judged by which rule, and how many captures one transaction judges.
 */

/** Value of `judge_from`: the rule can drop nothing more. */
export const NEVER = Number.MAX_SAFE_INTEGER;
/** A transaction ends after the page that reaches this number of judged captures. */
export const CAPTURES_AT_ONCE = 10_000;
/** The name of the note with the rule by which all pages were judged. */
export const JUDGED_BY = 'captures-judged-by';
const UNDER_WAY = 'under way';

/**
 * The value of `judge_from` up to which pages must be judged. After a change of the rule this is all pages
 * until a whole round is done, because it is not known which page was judged by which rule. `note` is the
 * new text of the note; null if the text does not change.
 */
export function boundaryOf(
  keep: KeptContents,
  judgedBy: string | null,
): { readonly boundary: number; readonly note: string | null } {
  if (judgedBy === ruleName(keep)) return { boundary: keep.kind === 'since' ? keep.sinceMs : 0, note: null };
  return { boundary: NEVER, note: judgedBy === UNDER_WAY ? null : UNDER_WAY };
}

export function ruleName(keep: KeptContents): string {
  return keep.kind === 'newest' ? `newest ${keep.contents}` : 'since';
}
