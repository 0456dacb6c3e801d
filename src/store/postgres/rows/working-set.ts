/**
 * The working set of one transaction: the rows of the tables that a
 * commit reads and writes, and the counts that it changes.
 *
 * Reads come first and together, changes are made in memory, and everything is written together at the end (rows.ts).
 * If a query needs more than these rows (`query`), all changes so far are written first, so that the query sees them.
 */

import { Tally } from '../../rules/tally.ts';
import type { Row, Session, Value } from '../connection/database.ts';
import { Contents } from './contents.ts';
import { Rows } from './rows.ts';
import { PAGES, type PageRow, URLS, type UrlRow, VISITS, type VisitRow } from './table-rows.ts';
import { nextTouch } from './touch-seq.ts';

export class WorkingSet {
  readonly session: Session;
  readonly schema: string;
  readonly tally: Tally;
  readonly urls: Rows<UrlRow>;
  readonly pages: Rows<PageRow>;
  readonly visits: Rows<VisitRow>;
  readonly contents: Contents;
  #touch: Promise<number> | null = null;

  constructor(session: Session, schema: string, tally = new Tally()) {
    this.session = session;
    this.schema = schema;
    this.tally = tally;
    this.urls = new Rows(session, schema, URLS);
    this.pages = new Rows(session, schema, PAGES);
    this.visits = new Rows(session, schema, VISITS);
    this.contents = new Contents(session, schema);
  }

  async query<T extends Row = Row>(text: string, values: readonly Value[] = []): Promise<readonly T[]> {
    await this.flush();
    return this.session.all<T>(text, values);
  }

  /** The number of this transaction, for the pages that it touches. Asking early saves a round trip. */
  touchSeq(): Promise<number> {
    this.#touch ??= nextTouch(this.session, this.schema);
    return this.#touch;
  }

  async flush(): Promise<void> {
    const touched = this.tally.takeTouched();
    if (touched.size > 0) {
      const seq = await this.touchSeq();
      for (const id of touched) this.urls.change(id, { touched: seq });
    }
    await Promise.all([...[this.urls, this.pages, this.visits].map((rows) => rows.flush()), this.contents.flush()]);
  }
}
