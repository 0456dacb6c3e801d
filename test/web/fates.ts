/** What a crawl has to make of each bad behaviour: its name in, state and reason out. Tests and the benchmark hold to it. */
import { BEHAVIOURS, type BehaviourName } from './behaviours.ts';

export const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

/** As robots.txt it would lead out of 127.0.0.0/8; as a page --exclude keeps it in. */
export const ROBOTS_NAMES: readonly BehaviourName[] = NAMES.filter((name) => name !== 'RedirectToPrivate');

/** What becomes of a page that behaves so. `waiting` is: tried again later, of which this crawl does not see the day. */
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

/** As robots.txt, these leave the host's pages open; all others close them: no answer that could be read is a no. */
const OPEN_AS_ROBOTS: ReadonlySet<BehaviourName> = new Set<BehaviourName>([
  'EndlessBody',
  // Redirects that never end count as no robots.txt (RFC 9309 2.3.1.2).
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

/** What becomes of a page whose host has such a robots.txt. */
export function fateBehind(robots: BehaviourName): 'fetched' | 'waiting' {
  return OPEN_AS_ROBOTS.has(robots) ? 'fetched' : 'waiting';
}
