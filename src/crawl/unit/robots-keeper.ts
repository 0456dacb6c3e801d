/**
 * The robots.txt of one live host: from the store while it is fresh, otherwise from the
 * host, through the host's own gate. An answer is valid for a day (RFC 9309 §2.4). If
 * robots.txt is unreachable, the host is blocked until the next try.
 */
import type { Clock } from '../../core/clock.ts';
import type { Reason } from '../../core/reasons.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import { type HostGate, LeaseExpiredError } from '../../frontier/host-gate.ts';
import { type RobotsRules, robotsFor } from '../../robots/match.ts';
import { judgeRobotsAnswer, MAX_CACHE_MS, MAX_REDIRECTS } from '../../robots/robots-verdict.ts';
import type { RobotsCopy } from '../../store/contract.ts';
import { pathOf } from '../../url/host.ts';

/** The rules of a host's robots.txt for the rest of the unit. */
export interface RobotsRuling {
  readonly copy: RobotsCopy;
  readonly crawlDelayMs: number | null;
  readonly sitemaps: readonly string[];
  /** The URL of the watcher report in robots.txt; '' if there is none. */
  readonly report: string;
  /** The end of a block of the whole host; 0 if it is not blocked. */
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
 * Requests robots.txt. A redirect is followed, also to another host, as the RFC asks. Each hop
 * waits for the gate of the host whose file this is. `ask` makes one request when the gate
 * allows it. A host that must not be connected to has no file.
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
      outcome.release();
      return { status, body, fetchedAtMs: clock.now() };
    }
    url = outcome.redirectTo;
  }
}

/** The ruling for a host that this crawl must not connect to. */
export function privateRuling(nowMs: number): RobotsRuling {
  const copy = { status: 0, body: '', fetchedAtMs: nowMs };
  return { copy, crawlDelayMs: null, sitemaps: [], report: '', closedUntilMs: 0, refuses: () => 'private-address' };
}

/**
 * A body that our limit cut off still has its beginning, and only the beginning is ever parsed. A body that the network
 * cut off may lack the very rule that forbids a page, so it counts as no answer (RFC 9309 §2.3.1.4).
 */
function answeredStatus({ status, reason, decoded }: FetchOutcome, usable: boolean): number {
  const isWhole = reason === null || reason === 'body-too-large' || reason === 'bad-encoding';
  return !usable || isWhole || decoded.length >= MAX_ROBOTS_BYTES ? status : 0;
}

/** RFC 9309 §2.5: at least 500 KiB. */
const MAX_ROBOTS_BYTES = 512_000;

/** Waits until the gate is open, then begins a request. Throws if this process no longer has the host. */
export async function passGate(gate: HostGate, clock: Clock): Promise<void> {
  for (;;) {
    if (gate.isShut) throw new LeaseExpiredError('this process no longer has the host');
    const waitMs = gate.nextAtMs() - clock.now();
    if (waitMs <= 0) break;
    await new Promise<void>((resolve) => clock.after(Math.min(waitMs, 1_000), resolve));
  }
  gate.begin();
}
