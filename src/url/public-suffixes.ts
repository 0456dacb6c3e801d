import { createRequire } from 'node:module';

let loaded: typeof import('tldts') | null = null;

/**
 * Loads the public suffix list when a crawl uses domains or a server sets a cookie, and not earlier: loading takes 13
 * ms in every thread, which is too much for a short run.
 */
export function publicSuffixes(): typeof import('tldts') {
  loaded ??= createRequire(import.meta.url)('tldts') as typeof import('tldts');
  return loaded;
}
