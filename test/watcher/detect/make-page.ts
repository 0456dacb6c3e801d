import type { WatchedPage } from '../../../src/watcher/records.ts';

export function makePage(key: string, over: Partial<WatchedPage> = {}): WatchedPage {
  return {
    key,
    url: `/${encodeURI(key.slice(key.indexOf('/') + 1))}`,
    stamp: { size: 12, mtimeMs: 1_700_000_000_123.456, ctimeMs: 1_700_000_000_456.789, ino: 77 },
    isFresh: false,
    hash: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
    updates: 0,
    changedAtMs: 1_700_000_000_000,
    seq: 0,
    events: [],
    ...over,
  };
}

/** Produces the same numbers for the same seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
