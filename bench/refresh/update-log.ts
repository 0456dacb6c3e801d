/** Evaluates the cost of an update by the server's log. In: the log of one run and the changed pages. Out: counts. */
import { readFile } from 'node:fs/promises';
import type { Site } from './sites.ts';

export interface UpdateCount {
  readonly requests: number;
  /** Bytes of heads and bodies, as the server sent them. */
  readonly sentBytes: number;
  readonly bodyBytes: number;
  /** Responses with status 304. */
  readonly notModified: number;
  /** Responses with a status other than 200 and 304, except 404 for a path that is no page. */
  readonly failures: number;
  /** Changed pages that were not sent. */
  readonly missed: number;
  /** Pages that were sent although they had not changed or had been sent before. */
  readonly needless: number;
  /** Pages that were never requested. */
  readonly untouched: number;
}

export async function readUpdateLog(logPath: string, site: Site): Promise<UpdateCount> {
  return countUpdate(await readFile(logPath, 'latin1'), site);
}

export function countUpdate(log: string, { plan, changed }: Pick<Site, 'plan' | 'changed'>): UpdateCount {
  const pageOf = new Map<string, number>();
  for (let page = 0; page < plan.shape.pages; page++) pageOf.set(`${plan.host(page)} ${plan.path(page)}`, page);
  const missed = new Set(changed);
  const untouched = new Set(pageOf.values());
  const count = { requests: 0, sentBytes: 0, bodyBytes: 0, notModified: 0, failures: 0, needless: 0 };
  for (const line of log.split('\n')) {
    const [status, host, path, bodyBytes, , , sentBytes] = line.split(' ');
    if (sentBytes === undefined) continue;
    count.requests++;
    count.sentBytes += Number(sentBytes);
    count.bodyBytes += Number(bodyBytes);
    const page = pageOf.get(`${host} ${path}`);
    // A crawler also asks for what the site does not have: the report of a watcher, and a path that it made up to learn
    // how the host answers. This is not a failure.
    const isNowhere = status === '404' && page === undefined;
    if (status === '304') count.notModified++;
    else if (status !== '200' && !isNowhere) count.failures++;
    if (page === undefined) continue;
    untouched.delete(page);
    // A response without a body answers a HEAD request.
    if (status === '200' && bodyBytes !== '0' && !missed.delete(page)) count.needless++;
  }
  return { ...count, missed: missed.size, untouched: untouched.size };
}
