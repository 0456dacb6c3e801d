/**
 * Gives the lease by the access log. If only files are served, requests with `take` are read from the web
 * server's log, and the next report that is written names the first crawler. The log comes from the web server,
 * but it contains untrusted text from clients.
 */

import { network, plainAddress } from '../admit/client-address.ts';
import type { LeaseAdmission } from '../admit/lease-admission.ts';
import type { LeaseKeeper } from '../report/lease-keeper.ts';
import { parseQuestion } from './question.ts';

export interface LoggedTake {
  /** The client, from the first field of the line; null if that field is not an address. */
  readonly address: string | null;
  readonly holder: string;
  readonly forMs: number | null;
}

/** Parses a line in the common or combined log format; null if the line takes no lease. */
export function takeInLine(line: string, path: string): LoggedTake | null {
  // The first quote opens the request. Servers escape quotes that a client sent.
  const [, target, status] = /^[^"]*"GET ([^" ]+) HTTP\/\d(?:\.\d)?" (\d{3}) /.exec(line) ?? [];
  if (target === undefined || (status !== '200' && status !== '304')) return null;
  const at = target.indexOf('?');
  if (at < 0 || target.slice(0, at) !== path) return null;
  const take = parseQuestion(target.slice(at + 1))?.take ?? null;
  const address = plainAddress(line.split(' ', 1)[0]!);
  return take === null ? null : { address, holder: take.holder, forMs: take.forMs };
}

/**
 * A line callback for AccessLog. It gives the lease to the first crawler in the log, and renews it for the holder. Keys
 * are not possible here, because log lines do not contain them.
 */
export function leaseByLog(
  lease: LeaseKeeper,
  path: string,
  memory: { readonly lastSeq: number },
  admission: LeaseAdmission,
  steadyMs: () => number = () => performance.now(),
): (line: string) => Promise<void> {
  return async (line) => {
    const take = takeInLine(line, path);
    if (take === null) return;
    const { address, holder, forMs } = take;
    const counted = address === null ? 'unknown' : network(address);
    const visitor = admission.visitor({ counted, proved: address }, null, { site: '', query: '', nowMs: 0 })!;
    if (!visitor.isKnown && !admission.isForAnyone) return;
    const held = lease.view();
    const isRenewal = held.held && held.holder === holder;
    const permission = isRenewal ? { mostMs: Number.MAX_SAFE_INTEGER } : admission.ask(visitor, steadyMs());
    if ('waitMs' in permission) return;
    const { isKnown } = visitor;
    const outcome = await lease.takeByName({ holder, forMs, seq: memory.lastSeq, isKnown, mostMs: permission.mostMs });
    if (outcome.isGiven) admission.gave(visitor, steadyMs(), steadyMs() + outcome.forMs);
  };
}
