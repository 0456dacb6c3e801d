/**
 * What watchers told, and a sample of what they are silent about, in one order. What was told comes first, but for a part of a
 * budget: a watcher that tells of more than that each time would be believed for ever, since nobody would look at what it
 * is silent about.
 */
import type { VisitRecord } from '../../store/contract.ts';

/** Of the budgets of all and of each host. */
const AUDIT_SHARE = 0.25;

/** Budgets are infinite where there is none. */
export function withAudit(
  told: readonly VisitRecord[],
  silent: readonly VisitRecord[],
  budget: number,
  hostBudget: number,
): VisitRecord[] {
  const ofAll = Math.floor(budget * AUDIT_SHARE);
  const ofHost = Math.floor(hostBudget * AUDIT_SHARE);
  if (ofAll === Number.POSITIVE_INFINITY && ofHost === Number.POSITIVE_INFINITY) return [...told, ...silent];
  const first: VisitRecord[] = [];
  const later: VisitRecord[] = [];
  const taken = new Map<number, number>();
  for (const visit of silent) {
    const before = taken.get(visit.hostId) ?? 0;
    const isFirst = first.length < ofAll && before < ofHost;
    if (isFirst) taken.set(visit.hostId, before + 1);
    (isFirst ? first : later).push(visit);
  }
  return [...first, ...told, ...later];
}
