/** Counts the pages that a crawler really fetched. In: the server's log of one run. Out: counts. */
import { readFile } from 'node:fs/promises';
import type { WebPlan } from './plan.ts';

export interface FetchedCount {
  /** Distinct pages of the web that were answered with 200. */
  readonly distinctPages: number;
  /** Further responses with 200 for pages that were already fetched. */
  readonly repeatedPages: number;
  /** Responses for files that are not pages: robots.txt, images. */
  readonly otherRequests: number;
  /** Responses with a status other than 200. */
  readonly failures: number;
  /** Pages that were sent gzipped. */
  readonly gzippedPages: number;
  readonly bodyBytes: number;
}

export async function readAccessLog(logPath: string, plan: WebPlan): Promise<FetchedCount> {
  return countFetched(await readFile(logPath, 'latin1'), plan);
}

export function countFetched(log: string, plan: WebPlan): FetchedCount {
  const pages = pageKeys(plan);
  const unseen = new Set(pages);
  let repeatedPages = 0;
  let otherRequests = 0;
  let failures = 0;
  let gzippedPages = 0;
  let bodyBytes = 0;
  for (const line of log.split('\n')) {
    const [status, host, path, bytes, encoding] = line.split(' ');
    if (host === undefined) continue;
    bodyBytes += Number(bytes);
    const key = `${host} ${path}`;
    if (status !== '200') failures++;
    else if (!pages.has(key)) otherRequests++;
    else {
      if (!unseen.delete(key)) repeatedPages++;
      if (encoding === 'gzip') gzippedPages++;
    }
  }
  return { distinctPages: pages.size - unseen.size, repeatedPages, otherRequests, failures, gzippedPages, bodyBytes };
}

/** The times when the first page, half of the pages and the last page had been answered with 200. */
export interface PageTimes {
  readonly firstAtMs: number;
  readonly halfAtMs: number;
  readonly lastAtMs: number;
}

/** Returns null when no page was answered with 200. */
export async function readPageTimes(logPath: string, plan: WebPlan): Promise<PageTimes | null> {
  return findPageTimes(await readFile(logPath, 'latin1'), plan);
}

export function findPageTimes(log: string, plan: WebPlan): PageTimes | null {
  const pages = pageKeys(plan);
  const times: number[] = [];
  for (const line of log.split('\n')) {
    const [status, host, path, , , atSeconds] = line.split(' ');
    if (status !== '200' || !pages.has(`${host} ${path}`)) continue;
    times.push(Math.round(Number(atSeconds) * 1000));
  }
  if (times.length === 0) return null;
  times.sort((left, right) => left - right);
  return { firstAtMs: times[0]!, halfAtMs: times[times.length >> 1]!, lastAtMs: times.at(-1)! };
}

function pageKeys(plan: WebPlan): Set<string> {
  const keys = new Set<string>();
  for (let page = 0; page < plan.shape.pages; page++) keys.add(`${plan.host(page)} ${plan.path(page)}`);
  return keys;
}
