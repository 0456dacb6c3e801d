import { createRequire } from 'node:module';

let loaded: typeof import('tldts') | null = null;

/**
 * The list of public suffixes, loaded when a crawl goes by domains or a server sets a cookie, and not before: it takes 13 ms
 * in every thread, which a short run never gets back.
 */
export function publicSuffixes(): typeof import('tldts') {
  loaded ??= createRequire(import.meta.url)('tldts') as typeof import('tldts');
  return loaded;
}
