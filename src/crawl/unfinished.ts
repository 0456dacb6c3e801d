import type { UrlResult } from '../store/contract.ts';

/** The result of a URL of which nothing is known yet: it goes on waiting. */
export function unfinished(id: number, url: string, hostId: number): UrlResult {
  return {
    id,
    url,
    hostId,
    state: 'waiting',
    reason: null,
    failures: 0,
    dueAtMs: null,
    capture: null,
    page: null,
    redirectTo: null,
    standIn: null,
    knownLinks: [],
    foundLinks: [],
    foundAttributes: [],
    knownPromises: [],
  };
}
