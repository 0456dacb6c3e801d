/** What `crawl` and `refresh` say of a host whose lease somebody else held for too long. */
import type { LeaselessHost } from '../crawl/watchers/watcher-summary.ts';
import { safeText, timeText } from './readable.ts';

export function leaselessSentence({ host, heldBy, heldUntil, waitedSeconds }: LeaselessHost): string {
  const until = heldUntil === null ? '' : ` until ${timeText(Date.parse(heldUntil))}`;
  const who = heldBy ? `Another crawler, ${safeText(heldBy)}, holds` : 'The watcher gives nobody';
  const waited = waitedSeconds > 0 ? `waited ${waitedSeconds} s, then ` : '';
  return `${who} the lease of ${safeText(host)}${until}: ${waited}went on without it`;
}
