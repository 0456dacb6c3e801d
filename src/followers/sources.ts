/** What a follower reads. In: its position, as a text. Out: the next items, and the position after them. */
import { type ChangeEntry, FIRST_TOUCH, type Store, type Touch, type UrlRecord } from '../store/contract.ts';
import type { FollowerSource } from './follower.ts';

/** Every entry of the change log, in the order of commits: for followers that need events. */
export function changesAfter(store: Pick<Store, 'changes'>): FollowerSource<ChangeEntry> {
  return {
    async read(position, limit) {
      const items = await store.changes(numberIn(position ?? '0'), limit);
      const last = items.at(-1);
      return { items, position: last === undefined ? position : String(last.seq), isEnd: items.length < limit };
    },
  };
}

/**
 * Every page that commits have touched, as it is now: for followers that need the copy. A page may be newer than the
 * commit that touched it; it then comes again. A URL that has no page any more comes with an empty digest.
 */
export function pagesAfter(store: Pick<Store, 'touches' | 'records'>): FollowerSource<UrlRecord> {
  const touches = touchesAfter(store);
  return {
    async read(position, limit) {
      const { items: touched, ...end } = await touches.read(position, limit);
      if (touched.length === 0) return { items: [], ...end };
      const records = await store.records(touched.map(({ id }) => id));
      const byId = new Map(records.map((record) => [record.id, record]));
      return { items: touched.flatMap(({ id }) => byId.get(id) ?? []), ...end };
    },
  };
}

/** The same pages by their ids: for followers that read the pages in another thread. */
export function touchesAfter(store: Pick<Store, 'touches'>): FollowerSource<Touch> {
  return {
    async read(position, limit) {
      const items = await store.touches(touchAt(position), limit);
      const last = items.at(-1);
      return { items, position: last === undefined ? position : positionAt(last), isEnd: items.length < limit };
    },
  };
}

/** The position after a touched page. */
export function positionAt({ seq, id }: Touch): string {
  return `${seq}/${id}`;
}

/** The mark of the last touched page at a position; the first mark for the beginning. */
export function touchAt(position: string | null): Touch {
  if (position === null) return FIRST_TOUCH;
  const [seq = '', id = ''] = position.split('/');
  return { seq: numberIn(seq), id: numberIn(id) };
}

/** A position that nobody can read begins again: work is then repeated, and none is left out. */
function numberIn(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
