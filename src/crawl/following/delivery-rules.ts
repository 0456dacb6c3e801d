/**
 * What a delivery asks about a change before it sends it: whether its description is ready, and whether it meets a
 * condition of `--when`.
 */
import type { ChangeEntry, ChangeKind, Store } from '../../store/contract.ts';
import type { DeliveryRules } from '../delivery/read-batch.ts';
import type { Condition } from '../delivery/when/condition.ts';
import type { DescriberThread } from './describer-thread.ts';
import { describedThrough } from './description-follower.ts';

/** Kinds of changes that have a new version. The others meet no condition. */
const KINDS_WITH_TEXT: ReadonlySet<ChangeKind> = new Set(['new', 'changed', 'noise', 'returned']);
/** A feed shows the same changes again and again. */
const MAX_REMEMBERED = 10_000;

export function deliveryRules(
  store: Pick<Store, 'followers'>,
  describer: DescriberThread,
  conditions: readonly Condition[],
): DeliveryRules {
  const met = new Map<number, boolean>();
  return {
    describedThrough: () => describedThrough(store),
    joinsEdits: conditions.length === 0,
    async accepts(entry: ChangeEntry) {
      if (conditions.length === 0) return true;
      if (!KINDS_WITH_TEXT.has(entry.kind)) return false;
      const known = met.get(entry.seq);
      if (known !== undefined) return known;
      // A change that cannot be checked is delivered: silence would look like a condition that is not met.
      const isMet = (await describer.meets(entry, conditions)) ?? true;
      if (met.size >= MAX_REMEMBERED) met.clear();
      met.set(entry.seq, isMet);
      return isMet;
    },
  };
}
