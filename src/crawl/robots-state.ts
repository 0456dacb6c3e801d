/** What a host's robots.txt amounts to, for those who tell of it. */
import { judgeRobotsAnswer } from '../robots/robots-verdict.ts';
import type { RobotsCopy } from '../store/contract.ts';

export const ROBOTS_STATES = ['not-asked', 'rules', 'none', 'unreachable'] as const;
export type RobotsState = (typeof ROBOTS_STATES)[number];

export function robotsState(copy: RobotsCopy | null): RobotsState {
  if (copy === null) return 'not-asked';
  // The body has no say in which of the three it is.
  const { kind } = judgeRobotsAnswer({ status: copy.status, body: '', unreachable: copy.status === 0 });
  return { rules: 'rules', 'allow-all': 'none', 'disallow-all': 'unreachable' }[kind] as RobotsState;
}
