/** Ids for new URLs: taken from the sequence by the thousand, so that most need no question. Those left over at the end are lost. */
import type { Session } from './database.ts';

const CHUNK = 1_000;

export class IdSource {
  readonly #schema: string;
  #next = 0;
  #end = 0;
  #asking: Promise<void> = Promise.resolve();

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** Ascending, and above all that were taken before by this process. Those of a transaction that fails are lost. */
  async take(session: Session, count: number): Promise<number[]> {
    const ids: number[] = [];
    // One after the other, or two askers would share a chunk.
    const turn = this.#asking.then(async () => {
      while (ids.length < count) {
        if (this.#next >= this.#end) await this.#refill(session);
        ids.push(this.#next++);
      }
    });
    this.#asking = turn.catch(() => {});
    await turn;
    return ids;
  }

  async #refill(session: Session): Promise<void> {
    const [row] = await session.all(`SELECT nextval('${this.#schema}.url_ids') AS first`);
    this.#next = row!.first;
    this.#end = this.#next + CHUNK;
  }
}
