/**
 * Evaluates the requests that the web received. In: a list of requests. Out: counts, rates and violations of the
 * manners. Only the log of the web counts as evidence: the statistics of the crawler are not used.
 */

export const ROBOTS_PAGE = -2;
export const NO_PAGE = -1;

export interface WebRequest {
  /** Number of the host in the web, from 0. */
  readonly host: number;
  readonly page: number;
  /** The address of the client. */
  readonly from: string;
  /** Times of the web's clock: when the request arrived, and when it was answered or aborted. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly isWhole: boolean;
}

export interface PageCounts {
  readonly distinctPages: number;
  /** Complete responses for pages that had already been answered. */
  readonly repeatedPages: number;
  readonly robotsRequests: number;
  /** Requests for neither a page nor robots.txt. */
  readonly otherRequests: number;
}

export function countPages(requests: readonly WebRequest[]): PageCounts {
  const times = timesFetched(requests);
  const fetched = requests.filter(({ page, isWhole }) => page >= 0 && isWhole).length;
  return {
    distinctPages: times.size,
    repeatedPages: fetched - times.size,
    robotsRequests: requests.filter(({ page }) => page === ROBOTS_PAGE).length,
    otherRequests: requests.filter(({ page }) => page === NO_PAGE).length,
  };
}

/** Counts the complete responses of each page. */
export function timesFetched(requests: readonly WebRequest[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const { page, isWhole } of requests) if (page >= 0 && isWhole) times.set(page, (times.get(page) ?? 0) + 1);
  return times;
}

export interface PageRate {
  /** From the first request for a page to the last response. */
  readonly seconds: number;
  readonly pagesPerSecond: number;
  /** Speed while all workers are busy: without the first and the last tenth of the pages. */
  readonly steadyPagesPerSecond: number;
}

export function rateOf(requests: readonly WebRequest[]): PageRate | null {
  const pages = requests.filter(({ page, isWhole }) => page >= 0 && isWhole);
  if (pages.length < 20) return null;
  const endedMs = pages.map((each) => each.endedMs).sort((left, right) => left - right);
  const beganMs = pages.reduce((least, each) => Math.min(least, each.beganMs), Number.POSITIVE_INFINITY);
  const seconds = (endedMs.at(-1)! - beganMs) / 1000;
  const [low, high] = [Math.floor(pages.length * 0.1), Math.ceil(pages.length * 0.9) - 1];
  const steadySeconds = (endedMs[high]! - endedMs[low]!) / 1000;
  return { seconds, pagesPerSecond: pages.length / seconds, steadyPagesPerSecond: (high - low) / steadySeconds };
}

export interface Manners {
  /** Maximum number of open requests per host. */
  readonly perHost: number;
  /** Minimum pause from the end of a request to the start of the next request. */
  readonly delayMs: number;
}

export interface Breach {
  readonly host: number;
  readonly rule: 'parallel' | 'delay';
  /** The number of open requests, or the pause that was too short. */
  readonly found: number;
  readonly first: WebRequest;
  readonly second: WebRequest;
}

/** The clocks of the web and of a crawler count whole milliseconds, and timers may be this early. */
const TICK_MS = 2;

/**
 * Checks all hosts, all workers and also robots.txt, because politeness is judged by the requests that a host receives.
 */
export function breachesOf(requests: readonly WebRequest[], { perHost, delayMs }: Manners): Breach[] {
  const byHost = Map.groupBy(requests, ({ host }) => host);
  const breaches: Breach[] = [];
  for (const [host, asked] of byHost) {
    const inOrder = asked.toSorted((left, right) => left.beganMs - right.beganMs);
    let underWay: WebRequest[] = [];
    let last: WebRequest | undefined;
    for (const second of inOrder) {
      underWay = underWay.filter(({ endedMs }) => endedMs > second.beganMs);
      const first = underWay[0];
      underWay.push(second);
      if (first !== undefined && underWay.length > perHost) {
        breaches.push({ host, rule: 'parallel', found: underWay.length, first, second });
      } else if (last !== undefined && delayMs > 0) {
        const pauseMs = second.beganMs - last.endedMs;
        if (pauseMs < delayMs - TICK_MS) breaches.push({ host, rule: 'delay', found: pauseMs, first: last, second });
      }
      if (last === undefined || second.endedMs > last.endedMs) last = second;
    }
  }
  return breaches;
}
