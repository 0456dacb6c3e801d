import { createRequire } from 'node:module';

/**
 * Loads undici only when a server chooses HTTP/2 or a proxy is set. Loading takes 70 ms in
 * every crawler unit, and most crawls never need it.
 */
export function loadUndici(): typeof import('undici') {
  return createRequire(import.meta.url)('undici') as typeof import('undici');
}
