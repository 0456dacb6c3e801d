/**
 * Ids for new URLs. They are taken from the sequence a thousand at a time, so that most ids need
 * no query. Ids that are left over at the end are lost.
 *
 * What always holds: after a crash, the server may give out again the ids of a transaction that did not end. So other
 * transactions use the rest of a thousand only after the transaction that took it has ended well.
 */
import type { Session } from '../connection/database.ts';

const CHUNK = 1_000;

/** From `from` up to, but not including, `to`. */
interface IdRange {
  readonly from: number;
  readonly to: number;
}

export interface TakenIds {
  readonly ids: readonly number[];
  /** Ids that the transaction took and does not need. */
  readonly rest: IdRange;
}

export class IdSource {
  readonly #schema: string;
  #left: IdRange = { from: 0, to: 0 };

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** The ids are ascending. The ids of a transaction that fails are lost. */
  async take(session: Session, count: number): Promise<TakenIds> {
    const ids: number[] = [];
    const takeFrom = ({ from, to }: IdRange): IdRange => {
      const end = Math.min(to, from + count - ids.length);
      for (let id = from; id < end; id++) ids.push(id);
      return { from: end, to };
    };
    this.#left = takeFrom(this.#left);
    let rest = this.#left;
    while (ids.length < count) {
      const [row] = await session.all(`SELECT nextval('${this.#schema}.url_ids') AS first`);
      rest = takeFrom({ from: row!.first, to: row!.first + CHUNK });
    }
    return { ids, rest };
  }

  /** Called when the transaction that took these ids has ended well. */
  keep(rest: IdRange): void {
    if (rest.from > this.#left.from && rest.to > this.#left.to) this.#left = rest;
  }
}
