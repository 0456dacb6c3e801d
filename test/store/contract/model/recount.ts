import type { Counts, UrlRecord, UrlState } from '../../../../src/store/contract.ts';
import { URL_STATES } from '../../../../src/store/contract.ts';

/** Counts the URLs of a crawl without a topic one by one. */
export function recount(urls: readonly UrlRecord[]): Omit<Counts, 'hosts' | 'wireBytes' | 'fetches'> {
  const states = Object.fromEntries(URL_STATES.map((state) => [state, 0])) as Record<UrlState, number>;
  const reasons: Record<string, number> = {};
  const retryReasons: Record<string, number> = {};
  let retrying = 0;
  let bytes = 0;
  for (const url of urls) {
    states[url.state]++;
    bytes += url.bytes;
    const isRetrying = url.state === 'waiting' && url.failures > 0;
    if (isRetrying) retrying++;
    const counted = isRetrying ? retryReasons : reasons;
    if (url.reason !== null && (isRetrying || url.state !== 'waiting')) {
      counted[url.reason] = (counted[url.reason] ?? 0) + 1;
    }
  }
  return { states, reasons, retrying, retryReasons, bytes, judged: 0, onTopic: 0, guesses: 0, wrongGuesses: 0 };
}
