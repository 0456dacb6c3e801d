import type { buildConnector } from 'undici';
import type { GuardedLookup, Lookup } from './guarded-lookup.ts';
import { loadUndici } from './load-undici.ts';

/** How connections are made. */
export interface ConnectOptions {
  readonly connectTimeoutMs: number;
  readonly allowH2: boolean;
  readonly rejectUnauthorized: boolean;
}

/** TLS sessions remembered for a quicker second handshake, over all hosts. */
export const MAX_TLS_SESSIONS = 2_000;

/** Opens connections for undici. In comes an origin, out goes a socket or an error; `GuardedLookup` judges the address. */
export function createConnector(guard: GuardedLookup, options: ConnectOptions): buildConnector.connector {
  const build = (lookup: Lookup): buildConnector.connector =>
    loadUndici().buildConnector({
      timeout: options.connectTimeoutMs,
      allowH2: options.allowH2,
      maxCachedSessions: MAX_TLS_SESSIONS,
      rejectUnauthorized: options.rejectUnauthorized,
      autoSelectFamily: true,
      lookup,
    } as buildConnector.BuildOptions);
  const anywhere = build(guard.anywhere);
  const publicOnly = build(guard.publicOnly);

  return (target, callback) => {
    const origin = `${target.protocol}//${target.host ?? target.hostname}`;
    const refusal = guard.literalError(origin, target.hostname);
    if (refusal !== null) {
      queueMicrotask(() => callback(refusal, null));
      return;
    }
    const connect = guard.allowsPrivate(origin) ? anywhere : publicOnly;
    connect(target, (...result) => {
      if (result[0] !== null) guard.failed(target.hostname);
      callback(...result);
    });
  };
}
