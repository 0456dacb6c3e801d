/**
 * The robots.txt of one live host: from the store while it is fresh, otherwise from the
 * host, through the host's own gate. An answer is valid for a day (RFC 9309 §2.4). If
 * robots.txt is unreachable, the host is blocked until the next try.
 */
import type { Clock } from '../../core/clock.ts';
import type { Reason } from '../../core/reasons.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import { RETRY_RULES } from '../../fetch/retry.ts';
import { type HostGate, LeaseExpiredError } from '../../frontier/host-gate.ts';
import { type RobotsRules, robotsFor } from '../../robots/match.ts';
import { judgeRobotsAnswer, MAX_CACHE_MS, MAX_REDIRECTS, type RobotsVerdict } from '../../robots/robots-verdict.ts';
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

/** A file that was unreachable for so long that it counts as absent is asked for once a day, like an absent one. */
export function isFresh(copy: RobotsCopy, nowMs: number): boolean {
  const ageMs = nowMs - copy.fetchedAtMs;
  return ageMs >= 0 && ageMs < (isAnswer(copy) || verdictOf(copy).kind !== 'disallow-all' ? MAX_CACHE_MS : 0);
}

/** The meaning of a stored robots.txt (RFC 9309 §2.3.1). */
export function verdictOf({ status, body, fetchedAtMs, failingSinceMs = fetchedAtMs }: RobotsCopy): RobotsVerdict {
  const unreachableForMs = fetchedAtMs - failingSinceMs;
  return judgeRobotsAnswer({ status, body, unreachable: status === 0, unreachableForMs });
}

function isAnswer({ status }: RobotsCopy): boolean {
  return status >= 200 && status < 500 && status !== 429;
}

/** `retryMs`: when a file that could not be read is asked for again; by default, as the verdict says. */
export function rulingFrom(copy: RobotsCopy, productToken: string, retryMs: number | null = null): RobotsRuling {
  const verdict = verdictOf(copy);
  if (verdict.kind === 'disallow-all') {
    const closedUntilMs = copy.fetchedAtMs + (retryMs ?? verdict.retryAfterMs);
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

/** The result of a request for robots.txt. */
export interface RobotsRead {
  readonly copy: RobotsCopy;
  /** Why it could not be read; null if there was an answer. */
  readonly trouble: Reason | null;
  /** The time to the next reading, if the trouble may be an accident of a moment; otherwise null. */
  readonly retryMs: number | null;
}

/**
 * Requests robots.txt. A redirect is followed, also to another host, as the RFC asks. Each hop
 * waits for the gate of the host whose file this is. `ask` makes one request when the gate
 * allows it. A host that must not be connected to has no file. `kept` is the copy of the last reading.
 */
export async function readRobots(
  host: string,
  kept: RobotsCopy | null,
  ask: (url: string) => Promise<FetchOutcome>,
  clock: Clock,
): Promise<RobotsRead | 'private-address'> {
  let url = `${host}/robots.txt`;
  for (let hop = 0; ; hop++) {
    const outcome = await ask(url);
    if (hop === 0 && outcome.reason === 'private-address') return outcome.reason;
    if (outcome.redirectTo === null || hop >= MAX_REDIRECTS) {
      const usable = outcome.status >= 200 && outcome.status < 300;
      const body = usable ? outcome.decoded.subarray(0, MAX_ROBOTS_BYTES).toString('utf8') : '';
      const status = outcome.redirectTo === null ? answeredStatus(outcome, usable) : 404;
      outcome.release();
      const copy = { status, body, fetchedAtMs: clock.now() };
      return isAnswer(copy) ? { copy, trouble: null, retryMs: null } : unreadable(copy, kept, outcome);
    }
    outcome.release();
    url = outcome.redirectTo;
  }
}

/** A connection that broke is mostly an accident of a moment. The wait doubles, so a host that does it always rests. */
function unreadable(copy: RobotsCopy, kept: RobotsCopy | null, { reason }: FetchOutcome): RobotsRead {
  const failedBefore = kept !== null && !isAnswer(kept) ? kept : copy;
  const failingSinceMs = Math.min(failedBefore.failingSinceMs ?? failedBefore.fetchedAtMs, copy.fetchedAtMs);
  const trouble = reason ?? 'bad-response';
  const soonMs = Math.max(RETRY_RULES['connection-reset'].delayMs, copy.fetchedAtMs - failingSinceMs);
  const retryMs = trouble === 'connection-reset' ? Math.min(soonMs, MAX_CACHE_MS) : null;
  return { copy: { ...copy, failingSinceMs }, trouble, retryMs };
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

const MOST_WAIT_MS = 1_000;
/** While requests of the host are under way, nobody knows when the next one ends, and all its other URLs wait. */
const BUSY_WAIT_MS = 5;

/** Waits until the gate is open, then begins a request. Throws if this process no longer has the host. */
export async function passGate(gate: HostGate, clock: Clock): Promise<void> {
  for (;;) {
    if (gate.isShut) throw new LeaseExpiredError('this process no longer has the host');
    const waitMs = gate.nextAtMs() - clock.now();
    if (waitMs <= 0) break;
    const mostMs = gate.underWay > 0 ? BUSY_WAIT_MS : MOST_WAIT_MS;
    await new Promise<void>((resolve) => clock.after(Math.min(waitMs, mostMs), resolve));
  }
  gate.begin();
}
