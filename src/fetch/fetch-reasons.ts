import type { Reason } from '../core/reasons.ts';

/** The reasons that a fetch can return: the part of the closed list that depends on the network and the server. */
export const FETCH_REASONS = [
  'bad-url',
  'private-address',
  'dns-failed',
  'connect-failed',
  'connect-timeout',
  'tls-failed',
  'connection-reset',
  'headers-timeout',
  'body-timeout',
  'total-timeout',
  'headers-too-large',
  'bad-response',
  'bad-encoding',
  'body-too-large',
  'proxy-failed',
  'not-found',
  'gone',
  'forbidden',
  'client-error',
  'server-error',
  'rate-limited',
  'bad-redirect',
  'internal-error',
] as const satisfies readonly Reason[];

export type FetchReason = (typeof FETCH_REASONS)[number];
