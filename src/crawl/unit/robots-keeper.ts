/**
 * robots.txt of one live host: from the store while it is fresh, from the host otherwise, through the host's own gate. The
 * answer rules until it is a day old (RFC 9309 §2.4); one that says "unreachable" blocks the host until it is asked again.
 */
import type { Clock } from '../core/clock.ts';
import type { Reason } from '../core/reasons.ts';
import type { FetchOutcome } from '../fetch/outcome.ts';
import { type HostGate, LeaseLapsed } from '../frontier/host-gate.ts';
import { type RobotsRules, robotsFor } from '../robots/match.ts';
import { judgeRobotsAnswer, MAX_CACHE_MS, MAX_REDIRECTS } from '../robots/robots-verdict.ts';
import type { RobotsCopy } from '../store/contract.ts';
import { pathOf } from '../url/host.ts';

/** What the rest of the unit asks of a host's robots.txt. */
export interface RobotsRuling {
  readonly copy: RobotsCopy;
  readonly crawlDelayMs: number | null;
  readonly sitemaps: readonly string[];
  /** Where it says that the report of the site's watcher is; '' where it does not. */
  readonly report: string;
  /** Until when the host is closed to us as a whole; 0 when it is not. */
  readonly closedUntilMs: number;
  refuses(url: string): Reason | null;
}

export function isFresh(copy: RobotsCopy, nowMs: number): boolean {
  const ageMs = nowMs - copy.fetchedAtMs;
  return ageMs >= 0 && ageMs < (isAnswer(copy) ? MAX_CACHE_MS : 0);
}

function isAnswer({ status }: RobotsCopy): boolean {
  return status >= 200 && status < 500 && status !== 429;
}

export function rulingFrom(copy: RobotsCopy, productToken: string): RobotsRuling {
  const verdict = judgeRobotsAnswer({ status: copy.status, body: copy.body, unreachable: copy.status === 0 });
  if (verdict.kind === 'disallow-all') {
    const closedUntilMs = copy.fetchedAtMs + verdict.retryAfterMs;
    return { copy, crawlDelayMs: null, sitemaps: [], report: '', closedUntilMs, refuses: () => 'robots-unreachable' };
  }
  const rules: RobotsRules | null = verdict.kind === 'rules' ? robotsFor(verdict.file, productToken) : null;
  return {
    copy,
    crawlDelayMs: rules?.crawlDelayMs ?? null,
    sitemaps: rules?.sitemaps ?? [],
    report: verdict.kind === 'rules' ? verdict.file.report : '',
    closedUntilMs: 0,
    refuses: (url) => (rules === null || rules.allows(pathOf(url)) ? null : 'robots-disallowed'),
  };
}

/**
 * Asks the host. A redirect is followed, to another host too as the RFC wants; each hop waits for the gate of the host
 * whose file this is. `ask` makes one request when the gate allows it. A host that must not be connected to has no file.
 */
export async function readRobots(
  host: string,
  ask: (url: string) => Promise<FetchOutcome>,
  clock: Clock,
): Promise<RobotsCopy | 'private-address'> {
  let url = `${host}/robots.txt`;
  for (let hop = 0; ; hop++) {
    const outcome = await ask(url);
    if (hop === 0 && outcome.reason === 'private-address') return outcome.reason;
    if (outcome.redirectTo === null || hop >= MAX_REDIRECTS) {
      const usable = outcome.status >= 200 && outcome.status < 300;
      const body = usable ? outcome.decoded.subarray(0, MAX_ROBOTS_BYTES).toString('utf8') : '';
      const status = outcome.redirectTo === null ? answeredStatus(outcome, usable) : 404;
      return { status, body, fetchedAtMs: clock.now() };
    }
    url = outcome.redirectTo;
  }
}

/** The ruling over a host that this crawl must not connect to. */
export function privateRuling(nowMs: number): RobotsRuling {
  const copy = { status: 0, body: '', fetchedAtMs: nowMs };
  return { copy, crawlDelayMs: null, sitemaps: [], report: '', closedUntilMs: 0, refuses: () => 'private-address' };
}

/**
 * A body cut off by a limit of ours still has its beginning, which is all that is ever parsed. One that the network cut off
 * may lack the very rule that forbids, so it counts as no answer (RFC 9309 §2.3.1.4).
 */
function answeredStatus({ status, reason, decoded }: FetchOutcome, usable: boolean): number {
  const isWhole = reason === null || reason === 'body-too-large' || reason === 'bad-encoding';
  return !usable || isWhole || decoded.length >= MAX_ROBOTS_BYTES ? status : 0;
}

/** RFC 9309 §2.5: at least 500 KiB. */
const MAX_ROBOTS_BYTES = 512_000;

/** Resolves when the gate lets a request through, and begins it; refuses where the host is not ours any more. */
export async function passGate(gate: HostGate, clock: Clock): Promise<void> {
  for (;;) {
    if (gate.isShut) throw new LeaseLapsed('the host is not ours any more');
    const waitMs = gate.nextAtMs() - clock.now();
    if (waitMs <= 0) break;
    await new Promise<void>((resolve) => clock.after(Math.min(waitMs, 1_000), resolve));
  }
  gate.begin();
}
