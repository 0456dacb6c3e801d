import { createRequire } from 'node:module';
import type { buildConnector } from 'undici';
import type { GuardedLookup } from '../addresses/guarded-lookup.ts';
import { stripBrackets } from '../addresses/private-address.ts';

/** Settings for new connections. */
export interface ConnectOptions {
  readonly connectTimeoutMs: number;
  readonly allowH2: boolean;
  readonly rejectUnauthorized: boolean;
}

/** Number of cached TLS sessions, for all hosts together. A cached session makes the second handshake faster. */
export const MAX_TLS_SESSIONS = 2_000;

/** Opens connections to one origin for undici. Out: a socket or an error. `GuardedLookup` checks the addresses. */
export function createConnector(
  origin: string,
  guard: GuardedLookup,
  options: ConnectOptions,
): buildConnector.connector {
  const connect = loadUndici().buildConnector({
    timeout: options.connectTimeoutMs,
    allowH2: options.allowH2,
    maxCachedSessions: MAX_TLS_SESSIONS,
    rejectUnauthorized: options.rejectUnauthorized,
    autoSelectFamily: true,
    lookup: guard.lookupFor(origin),
  } as buildConnector.BuildOptions);

  return (target, callback) => {
    const refusal = guard.literalError(origin, stripBrackets(target.hostname));
    if (refusal !== null) {
      queueMicrotask(() => callback(refusal, null));
      return;
    }
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) guard.failed(target.hostname);
      const wrong = socket === null ? null : guard.connectedError(origin, socket);
      if (wrong === null) return callback(...result);
      socket?.destroy();
      callback(wrong, null);
    });
  };
}

/**
 * Loads undici only when a server chooses HTTP/2 or a proxy is set. Loading takes 70 ms in
 * every crawler unit, and most crawls never need it.
 */
export function loadUndici(): typeof import('undici') {
  return createRequire(import.meta.url)('undici') as typeof import('undici');
}
