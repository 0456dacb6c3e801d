/**
 * The lease by the access log: where only files are served, who asked with `take` is read in the web server's log, and the next report
 * that is written names who came first. The log is the web server's word, but what clients asked for stands in it as they wrote it.
 */
import type { LeaseKeeper } from '../report/lease-keeper.ts';
import { parseQuestion } from './question.ts';

export interface LoggedTake {
  readonly holder: string;
  readonly forMs: number | null;
}

/** Of a line in the common or the combined format; null where nobody took anything. */
export function takeInLine(line: string, path: string): LoggedTake | null {
  // The first quote opens the request: servers escape those that a client sent.
  const [, target, status] = /^[^"]*"GET ([^" ]+) HTTP\/\d(?:\.\d)?" (\d{3}) /.exec(line) ?? [];
  if (target === undefined || (status !== '200' && status !== '304')) return null;
  const at = target.indexOf('?');
  if (at < 0 || target.slice(0, at) !== path) return null;
  const take = parseQuestion(target.slice(at + 1))?.take ?? null;
  return take === null ? null : { holder: take.holder, forMs: take.forMs };
}

/** For an AccessLog: gives the lease to who stands first in it, and to who has it for longer. */
export function leaseByLog(
  lease: LeaseKeeper,
  path: string,
  memory: { readonly lastSeq: number },
): (line: string) => Promise<void> {
  return async (line) => {
    const take = takeInLine(line, path);
    if (take !== null) await lease.takeByName({ ...take, seq: memory.lastSeq });
  };
}
