/**
 * Describes changes when they are read, if neither their visit nor a follower has described them. In: an entry of the
 * change log. Out: the same entry with the description that the visit would have made. Nothing is written, because a
 * reader may have no right to.
 */
import { settleRules } from '../core/options/stored-rules.ts';
import { isUndescribed } from '../crawl/delivery/read-batch.ts';
import { placeAt, type Where } from '../crawl/place/crawl-place.ts';
import { readRules } from '../crawl/place/data-folder.ts';
import type { PlaceStore } from '../crawl/place/read-archived.ts';
import type { ChangeJudge } from '../crawl/unit/change/change-judge.ts';
import type { ChangeEntry, Store } from '../store/contract.ts';

export class EntryDescriber {
  readonly #store: PlaceStore & Pick<Store, 'note'>;
  readonly #where: Where;
  #judge: Promise<ChangeJudge> | null = null;

  constructor(store: PlaceStore & Pick<Store, 'note'>, where: Where) {
    this.#store = store;
    this.#where = where;
  }

  /** The entry stays without a description if the archive does not have both versions. */
  async described(entry: ChangeEntry): Promise<ChangeEntry> {
    if (!isUndescribed(entry)) return entry;
    this.#judge ??= this.#load();
    return { ...entry, change: await (await this.#judge).describe(entry.url, entry.atMs) };
  }

  /** Most readers read nothing that must be described, so the code that compares versions is loaded late. */
  async #load(): Promise<ChangeJudge> {
    const [{ ChangeJudge }, rules] = await Promise.all([
      import('../crawl/unit/change/change-judge.ts'),
      readRules(this.#store),
    ]);
    const { options, refresh } = settleRules([], rules);
    return new ChangeJudge({ place: placeAt(this.#where), places: this.#store }, options, refresh);
  }
}
