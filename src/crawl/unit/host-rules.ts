/** The initial manners of a host, before it has answered. */
import { isIP } from 'node:net';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import { hostPauseMs } from '../../fetch/retry.ts';
import type { Answer, GateRules, HostGate } from '../../frontier/host-gate.ts';
import { hostnameOf } from '../../url/host.ts';

/** Loopback hosts get no delay by default, so that a first try is quick (decision 8). */
export function isLoopback(host: string): boolean {
  const name = hostnameOf(host);
  if (name === 'localhost' || name === '[::1]') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

export function gateRules(host: string, options: CrawlOptions, parallel: number): GateRules {
  return { parallel, delayMs: options.delay ?? (isLoopback(host) ? 0 : null) };
}

/** Reads from an outcome how busy the host is and whether it wants a pause. */
export function answerOf(outcome: FetchOutcome, gate: Pick<HostGate, 'lastPauseMs'>, nowMs: number): Answer {
  const tookMs = Math.max(0, outcome.endedAtMs - outcome.startedAtMs);
  if (outcome.reason === null) return { tookMs, strained: false, blockUntilMs: 0 };
  const strained = outcome.status >= 500 || outcome.status === 429 || outcome.status === 0;
  const pauseMs = hostPauseMs(outcome.reason, gate.lastPauseMs, outcome.retryAfterMs);
  return { tookMs, strained, blockUntilMs: pauseMs === 0 ? 0 : nowMs + pauseMs };
}
