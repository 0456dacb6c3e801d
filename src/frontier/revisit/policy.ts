/**
 * A policy says which pages to look at again first: a page as it is now in, a value out. The schedule takes the largest values that
 * the budgets allow. Only the order of values counts, except that a page below 0 is left out.
 *
 * No page is forgotten: one that was not looked at for the longest interval comes first (schedule.ts). Policies without that floor
 * say so, and why.
 */
import { adaptive } from './policies/adaptive.ts';
import { nutch } from './policies/nutch.ts';
import { rank } from './policies/rank.ts';
import { topLevels } from './policies/top-levels.ts';
import { uniform } from './policies/uniform.ts';
import { watcher } from './policies/watcher.ts';

/** A page that was looked at some time ago. It is the same object for each page: nothing may be kept of it. */
export interface KnownPage {
  readonly id: number;
  readonly elapsedMs: number;
  /** How important it is, compared with others. */
  readonly weight: number;
  /** Links between the seeds and it. */
  readonly depth: number;
  /** Of the `nutch` policy. */
  readonly intervalMs: number;
  /** A source says that it has changed since. */
  readonly isClaimed: boolean;
  /** That it has changed since, from its own looks, its siblings' and what its source says. */
  chance(): number;
  /** Of a look now: expected milliseconds of freshness, times the weight. */
  gain(): number;
}

export interface Policy {
  readonly name: string;
  value(page: KnownPage): number;
  /** A quick bound of the value, so that pages without a chance cost little. */
  atMost?(page: KnownPage): number;
  /** The longest interval does not hold for it. */
  readonly floorless?: boolean;
}

export interface PolicySettings {
  /** How many levels `top-levels` looks at; the seeds are the first. */
  readonly topLevels: number;
}

export const DEFAULT_POLICY = 'adaptive';
export const DEFAULT_TOP_LEVELS = 3;

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
  if (!Object.hasOwn(POLICIES, name)) throw new RangeError(`no policy ${name}`);
  return POLICIES[name as PolicyName]({ topLevels: settings.topLevels ?? DEFAULT_TOP_LEVELS });
}
