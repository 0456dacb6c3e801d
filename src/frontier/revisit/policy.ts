/**
 * A policy decides which pages to visit again first. In: a page in its current state. Out: a value. The schedule
 * takes the largest values that the budgets allow. Only the order of the values counts, except that a page with
 * a value below 0 is left out.
 *
 * No page is forgotten: a page that has waited for the longest interval comes first (schedule.ts). Policies without
 * this floor say so and give the reason.
 */
import { MOST_GAIN_SHARE } from './rate-grid.ts';

/** A page that was visited before. The same object is reused for each page, so a policy must not keep it. */
export interface KnownPage {
  readonly id: number;
  readonly elapsedMs: number;
  /** Importance relative to other pages. */
  readonly weight: number;
  /** Number of links between the seeds and the page. */
  readonly depth: number;
  /** The interval of the `nutch` policy. */
  readonly intervalMs: number;
  /** True if a change source reports a change since the last visit. */
  readonly isClaimed: boolean;
  /** True if the gain may be larger than with a steady rate: for a reported page, a fixed hour, or an early visit. */
  readonly mayGainMore: boolean;
  /**
   * The chance of a change since the last visit, from the page's visits, its siblings' visits and the change source.
   */
  chance(): number;
  /** The gain of a visit now: expected milliseconds of freshness, times the weight. */
  gain(): number;
}

export interface Policy {
  readonly name: string;
  value(page: KnownPage): number;
  /** A fast upper bound of the value. It makes pages without a chance cheap to reject. */
  atMost?(page: KnownPage): number;
  /** True if the longest interval does not apply. */
  readonly floorless?: boolean;
}

export interface PolicySettings {
  /** Number of levels that `top-levels` visits. The seeds are the first level. */
  readonly topLevels: number;
}

export const DEFAULT_POLICY = 'adaptive';
const DEFAULT_TOP_LEVELS = 3;

export const POLICIES = {
  adaptive: () => adaptive,
  uniform: () => uniform,
  rank: () => rank,
  'top-levels': ({ topLevels: levels }) => topLevels(levels),
  watcher: () => watcher,
  nutch: () => nutch,
} as const satisfies Record<string, (settings: PolicySettings) => Policy>;

export type PolicyName = keyof typeof POLICIES;

export function policyNamed(name: string, settings: Partial<PolicySettings> = {}): Policy {
  if (!Object.hasOwn(POLICIES, name)) throw new RangeError(`there is no policy ${name}`);
  return POLICIES[name as PolicyName]({ topLevels: settings.topLevels ?? DEFAULT_TOP_LEVELS });
}

/** In proportion to importance (W19): a page with twice the weight waits half as long. */
const rank: Policy = { name: 'rank', value: ({ elapsedMs, weight }) => elapsedMs * weight };

/** Every page equally often (W19): the page that has waited longest comes first. */
const uniform: Policy = { name: 'uniform', value: ({ elapsedMs }) => elapsedMs };

/** Only the pages nearest to the seeds, all equally often (W19). Deeper pages come when the floor requires a visit. */
function topLevels(levels: number): Policy {
  return { name: 'top-levels', value: ({ elapsedMs, depth }) => (depth < levels ? elapsedMs : -1) };
}

/**
 * Only pages that a change source reports as changed (W14, W19), the largest gain first. This policy has no floor,
 * because the source alone drives it. Unreported pages are not visited.
 */
const watcher: Policy = {
  name: 'watcher',
  value: (page) => (page.isClaimed ? page.gain() : -1),
  floorless: true,
};

/**
 * The largest expected gain first. If the rates are known, this schedule has the highest possible freshness
 * (rate-grid.ts).
 */
const adaptive: Policy = {
  name: 'adaptive',
  value: (page) => page.gain(),
  atMost: (page) => (page.mayGainMore ? Number.POSITIVE_INFINITY : page.elapsedMs * page.weight * MOST_GAIN_SHARE),
};

/**
 * The well-known rule of Nutch: an interval grows while the page does not change and shrinks when it changes
 * (visit-state.ts). Pages that are due come first, the longest overdue at the top. This policy has no floor, because
 * the rule has its own longest interval.
 */
const nutch: Policy = {
  name: 'nutch',
  value: ({ elapsedMs, intervalMs }) => elapsedMs - intervalMs,
  floorless: true,
};
