/**
 * The follower that describes changes. A visit decides whether a page has changed and may leave out the description;
 * this follower compares the two archived versions later, and stores what it finds in the entry of the change.
 *
 * What always holds: a description equals the one that the visit would have made from the same versions. A change keeps
 * its first description. A change whose versions are not in the archive stays without one.
 */
import type { Follower } from '../../followers/follower.ts';
import { changesAfter } from '../../followers/sources.ts';
import type { ChangeDescription, ChangeEntry, Store } from '../../store/contract.ts';
import { isUndescribed } from '../delivery/read-batch.ts';

export const DESCRIPTIONS = 'descriptions';
export const FOLLOWER_VERSION = 1;

export interface Describer {
  describe(entry: ChangeEntry): Promise<string | null>;
}

const BATCH_ITEMS = 100;

export function descriptionFollower(store: Pick<Store, 'changes'>, describer: Describer): Follower<ChangeEntry> {
  return {
    name: DESCRIPTIONS,
    version: FOLLOWER_VERSION,
    source: changesAfter(store),
    batchItems: BATCH_ITEMS,
    async follow(entries, signal) {
      const described: ChangeDescription[] = [];
      for (const entry of entries.filter(isUndescribed)) {
        if (signal.aborted) break;
        const change = await describer.describe(entry);
        if (change !== null) described.push({ seq: entry.seq, change });
      }
      return { described };
    },
  };
}

/** All changes up to this number have the descriptions that they will get. */
export async function describedThrough(store: Pick<Store, 'followers'>): Promise<number> {
  const follower = (await store.followers()).find(({ name }) => name === DESCRIPTIONS);
  return Number(follower?.position ?? 0);
}
