/**
 * The expected result of each bad behaviour. In: the name of the behaviour. Out: state and
 * reason. Tests and the benchmark use this table.
 */
import { BEHAVIOURS, type BehaviourName } from './behaviours.ts';

export const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

/** As robots.txt, RedirectToPrivate would lead out of 127.0.0.0/8; as a page, --exclude stops it. */
export const ROBOTS_NAMES: readonly BehaviourName[] = NAMES.filter((name) => name !== 'RedirectToPrivate');

/**
 * The result for a page with this behaviour. `waiting` means that the page has a
 * retry later than the end of this crawl.
 */
export const AS_PAGE: Readonly<Record<BehaviourName, string>> = {
  NeverAnswers: 'waiting/headers-timeout',
  SlowHeaders: 'waiting/headers-timeout',
  SlowBody: 'waiting/total-timeout',
  StalledBody: 'waiting/body-timeout',
  EndlessBody: 'fetched/body-too-large',
  EndlessRedirects: 'redirect',
  RedirectLoop: 'redirect',
  RedirectToPrivate: 'redirect/excluded',
  RedirectToScript: 'failed/bad-redirect',
  BrokenChunked: 'waiting/bad-response',
  UnfinishedChunked: 'waiting/connection-reset',
  WrongLengthTooLong: 'waiting/connection-reset',
  WrongLengthTooShort: 'fetched',
  ResetBeforeHeaders: 'waiting/connection-reset',
  ResetAfterHeaders: 'waiting/connection-reset',
  EmptyReply: 'waiting/connection-reset',
  GarbageStatus: 'waiting/bad-response',
  HugeHeaders: 'failed/headers-too-large',
  ManyHeaders: 'failed/headers-too-large',
  Throttling: 'waiting/rate-limited',
  Flaky: 'waiting/server-error',
  RobotsError: 'waiting/server-error',
  SlowRobots: 'waiting/total-timeout',
  PlainLabelledGzip: 'fetched/bad-encoding',
  TruncatedGzip: 'fetched/bad-encoding',
  GzipBomb: 'fetched/body-too-large',
  NonsenseCharset: 'fetched',
  DeepDivs: 'fetched/body-too-large',
  NulBytes: 'fetched',
  MillionLinks: 'fetched/body-too-large',
  HugeRobots: 'fetched/body-too-large',
};

/**
 * With one of these as robots.txt, the host's pages may be fetched. All others
 * forbid them: an unreadable answer is a refusal.
 */
const OPEN_AS_ROBOTS: ReadonlySet<BehaviourName> = new Set<BehaviourName>([
  'EndlessBody',
  // Endless redirects count as no robots.txt (RFC 9309 2.3.1.2).
  'EndlessRedirects',
  'RedirectLoop',
  'RedirectToScript',
  'WrongLengthTooShort',
  'PlainLabelledGzip',
  'TruncatedGzip',
  'GzipBomb',
  'NonsenseCharset',
  'DeepDivs',
  'NulBytes',
  'MillionLinks',
  'HugeRobots',
]);

/** The state of a page whose host has this robots.txt. */
export function fateBehind(robots: BehaviourName): 'fetched' | 'waiting' {
  return OPEN_AS_ROBOTS.has(robots) ? 'fetched' : 'waiting';
}
