/**
 * Decides by the regions of both versions what changed on a page, without reading the earlier version from the archive.
 * In: the regions of the earlier and the new version. Out: the class of the change without a description, or null if
 * the versions must be compared (change-judge.ts).
 */
import type { NoiseBook } from '../../../change/noise/noise-rules.ts';
import { decideByRegions, mayHoldAds } from '../../../change/regions/decide-by-regions.ts';
import type { RefreshOptions } from '../../../core/options/refresh-options.ts';
import { type ChangeClass, type ChangeLevel, countsAs } from '../../../core/page/change-class.ts';
import { decodeRegions } from '../../../core/page/page-regions.ts';
import type { EarlierVisit, Finding } from '../../../store/contract.ts';
import { hostnameOf, hostOf } from '../../../url/host.ts';
import { noiseBookOf } from './noise-options.ts';

/**
 * After this many visits in a row that each found other content, the regions that always change are learned from them.
 */
export const TELLING_STREAK = 4;

export interface QuickDecision extends ChangeClass {
  readonly finding: Extract<Finding, 'noise' | 'changed'>;
  /** The description follows later. */
  readonly change: null;
  /** More than the text of the content differs, which may be noise of the host. */
  readonly mayBeNoise: boolean;
}

export class RegionJudge {
  readonly #book: NoiseBook;
  readonly #lowest: ChangeLevel;

  constructor(refresh: RefreshOptions) {
    this.#book = noiseBookOf(refresh);
    this.#lowest = refresh.level;
  }

  /** `regions` and `body` are of the new version. */
  judge(url: string, earlier: EarlierVisit, regions: Uint8Array | undefined, body: Buffer): QuickDecision | null {
    const was = decodeRegions(earlier.regions);
    const is = decodeRegions(regions ?? null);
    if (was === null || is === null || earlier.streak >= TELLING_STREAK) return null;
    const { ignore, onlyIn } = this.#book.rulesFor(hostnameOf(hostOf(url)));
    if (ignore.length > 0 || onlyIn.length > 0) return null;
    const decided = decideByRegions(was, is, () => mayHoldAds(body));
    if (decided === null) return null;
    const mayBeNoise = decided.level === 'content' && (was.beside !== is.beside || was.targets !== is.targets);
    return {
      ...decided,
      change: null,
      mayBeNoise,
      finding: countsAs(decided.level, this.#lowest) ? 'changed' : 'noise',
    };
  }
}
