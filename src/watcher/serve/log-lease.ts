/**
 * The lease by the access log: where only files are served, who asked with `take` is read in the web server's log, and the next report
 * that is written names who came first. The log is the web server's word, but what clients asked for stands in it as they wrote it.
 */
import type { LeaseAdmission } from '../admit/lease-admission.ts';
import type { LeaseKeeper } from '../report/lease-keeper.ts';
import { network, plainAddress } from './client-address.ts';
import { parseQuestion } from './question.ts';

export interface LoggedTake {
  /** Who asked, by the first field of the line; null where that is no address. */
  readonly address: string | null;
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
  const address = plainAddress(line.split(' ', 1)[0]!);
  return take === null ? null : { address, holder: take.holder, forMs: take.forMs };
}

/**
 * For an AccessLog: gives the lease to who stands first in it, and to who has it for longer. Nobody has a key here: a
 * line shows none.
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
