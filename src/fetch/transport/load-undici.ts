import { createRequire } from 'node:module';

/**
 * undici, loaded when a server chooses HTTP/2 or a proxy is set, and not before: loading takes 70 ms in every crawler
 * unit, which most crawls never get back.
 */
export function loadUndici(): typeof import('undici') {
  return createRequire(import.meta.url)('undici') as typeof import('undici');
}
