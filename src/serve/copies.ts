/**
 * The copies that a server shows. What always holds: each has an id of its own, and ids are safe parts of addresses.
 */
import { basename, join, resolve } from 'node:path';
import { shellWord } from '../core/text/readable.ts';
import { type CrawlPlace, placeAt } from '../crawl/place/crawl-place.ts';
import { hasDatabase } from '../crawl/place/open-store.ts';
import { ApiError } from './http/api-error.ts';
import type { ServedCopy } from './served-copy.ts';

const NAME = /^[a-z0-9][a-z0-9_-]{0,59}$/i;
const MOST_COPIES = 50;

export interface NamedPlace {
  readonly place: CrawlPlace;
  readonly again: string;
}

export class Copies {
  readonly #copies = new Map<string, ServedCopy>();
  /** The folder in which new copies are made; null if none are. */
  readonly #newIn: string | null;

  constructor(places: readonly NamedPlace[], newIn: string | null) {
    this.#newIn = newIn === null ? null : resolve(newIn);
    for (const { place, again } of places) this.#add(place, again);
  }

  get all(): readonly ServedCopy[] {
    return [...this.#copies.values()];
  }

  get canCreate(): boolean {
    return this.#newIn !== null;
  }

  /** Throws if there is no copy with this id. */
  get(id: string): ServedCopy {
    const copy = this.#copies.get(id);
    if (copy === undefined) throw new ApiError('NOT_FOUND', 'there is no copy with this name');
    return copy;
  }

  create(name: string): ServedCopy {
    if (this.#newIn === null)
      throw new ApiError('FORBIDDEN', 'this server makes no new copies; start it with --new-in <folder>');
    if (!NAME.test(name)) throw new ApiError('BAD_REQUEST', 'the name must consist of letters, digits, - and _');
    if (this.#copies.size >= MOST_COPIES)
      throw new ApiError('CONFLICT', `a server shows at most ${MOST_COPIES} copies`);
    const dir = join(this.#newIn, name);
    if (hasDatabase(dir) || this.all.some(({ place }) => resolve(place.dir) === dir)) {
      throw new ApiError('CONFLICT', `there is a copy with the name ${name} already`);
    }
    return this.#add(placeAt(dir), `--dir ${shellWord(dir)}`);
  }

  #add(place: CrawlPlace, again: string): ServedCopy {
    const title = place.cluster === null ? basename(resolve(place.dir)) : place.cluster.name;
    const base =
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9_-]+/g, '-')
        .slice(0, 60) || 'copy';
    let id = base;
    for (let n = 2; this.#copies.has(id); n++) id = `${base}-${n}`;
    const copy = { id, title, place, again };
    this.#copies.set(id, copy);
    return copy;
  }
}
