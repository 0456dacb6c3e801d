/**
 * Ids for new URLs: taken from the sequence by the thousand, so that most need no question. Those left over at the end are lost.
 *
 * Always: what a server gave in a transaction that it did not end may be given again, to others, after a crash of the server. So what is
 * left of a thousand is used by other transactions only after the one that asked for it has ended well.
 */
import type { Session } from './database.ts';

const CHUNK = 1_000;

/** From the first to before the last. */
interface IdRange {
  readonly from: number;
  readonly to: number;
}

export interface TakenIds {
  readonly ids: readonly number[];
  /** What the transaction asked for and does not need. */
  readonly rest: IdRange;
}

export class IdSource {
  readonly #schema: string;
  #left: IdRange = { from: 0, to: 0 };

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** Ascending. Those of a transaction that fails are lost. */
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

  /** The transaction that took these has ended well. */
  keep(rest: IdRange): void {
    if (rest.from > this.#left.from && rest.to > this.#left.to) this.#left = rest;
  }
}
