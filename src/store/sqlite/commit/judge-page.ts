/**
 * What a page is a copy of: by its canonical link, by its content, nearly (E5); and what that says of the hosts of both.
 *
 * Runs inside the caller's transaction.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Reason } from '../../core/reasons.ts';
import type { CommitBatch, PageRecord, UrlResult, UrlState } from '../contract.ts';
import { URL_STATES } from '../contract.ts';
import type { NearDuplicate } from '../sketches.ts';
import type { Tally } from '../tally.ts';
import { CONTENT_KEY_BYTES, ORIGINAL } from './copies.ts';
import type { Discovery } from './discovery.ts';
import { leadsTo } from './leads-to.ts';
import { Mirrors } from './mirrors.ts';
import type { NearDuplicates } from './near-duplicates.ts';

export interface Judgement {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly canonical: number | null;
  readonly duplicateOf: number | null;
  readonly near: NearDuplicate | null;
}

export class PageJudge {
  readonly #discovery: Discovery;
  readonly #near: NearDuplicates;
  readonly #mirrors: Mirrors;
  readonly #duplicateOf: StatementSync;
  readonly #isGone: StatementSync;
  readonly #firstOfContent: StatementSync;
  readonly #insertContent: StatementSync;

  constructor(db: DatabaseSync, discovery: Discovery, near: NearDuplicates) {
    this.#discovery = discovery;
    this.#near = near;
    this.#mirrors = new Mirrors(db);
    this.#duplicateOf = db.prepare(`SELECT ${ORIGINAL} AS next FROM pages p WHERE url_id = ?`);
    this.#isGone = db.prepare(`SELECT 1 FROM urls WHERE id = ? AND state = ${URL_STATES.indexOf('gone')}`);
    this.#firstOfContent = db.prepare('SELECT url_id FROM contents WHERE digest = ?');
    this.#insertContent = db.prepare('INSERT INTO contents (digest, url_id) VALUES (?, ?)');
  }

  /**
   * Duplicate by canonical link (C7), then by identical content: the first page committed with it is the original. Of pages
   * that name each other in a ring the last one stays, or none of them would be a page of the copy; and so does one that names
   * a URL that is gone. What is no duplicate may still be nearly one (E5); it stays a page.
   */
  judge({ id, state, reason, page }: UrlResult, batch: CommitBatch, tally: Tally): Judgement {
    if (!page) return { state, reason, canonical: null, duplicateOf: null, near: null };
    const canonical = page.canonical ? this.#discovery.idOf(page.canonical, id, batch.patternBudget, tally) : null;
    if (canonical !== null && !this.#leadsNowhere(id, canonical)) {
      return { state: 'duplicate', reason: 'duplicate-canonical', canonical, duplicateOf: canonical, near: null };
    }
    if (page.bytes === 0) return { state, reason, canonical, duplicateOf: null, near: null };
    const digest = Buffer.from(page.digest.slice(0, 2 * CONTENT_KEY_BYTES), 'hex');
    const first = this.#firstOfContent.get(digest) as { url_id: number } | undefined;
    if (first === undefined) this.#insertContent.run(digest, id);
    if (first !== undefined && first.url_id !== id) {
      return { state: 'duplicate', reason: 'duplicate-content', canonical, duplicateOf: first.url_id, near: null };
    }
    const near = page.sketch ? this.#near.judge(id, page.sketch, batch.nearDuplicate ?? 0, cutBytes(page)) : null;
    return { state, reason: reason ?? (near && 'near-duplicate'), canonical, duplicateOf: null, near };
  }

  #leadsNowhere(id: number, canonical: number): boolean {
    return leadsTo(id, canonical, this.#duplicateOf) || this.#isGone.get(canonical) !== undefined;
  }

  /** A page changed or left: what it said before is forgotten. */
  leave(id: number): void {
    this.#near.leave(id);
  }

  /** A page that only names another as its canonical one, and an empty one, say nothing of their hosts. */
  compareHosts({ id, hostId, url, page }: UrlResult, { reason, duplicateOf, near }: Judgement): void {
    if (page!.bytes === 0 || reason === 'duplicate-canonical') return;
    this.#mirrors.compare(id, hostId, url, duplicateOf ?? near?.of ?? null);
  }

  write(): void {
    this.#near.write();
    this.#mirrors.write();
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#near.forget();
    this.#mirrors.forget();
  }
}

/** The size that a page like this one has to come near to; 0 where its text says all. */
function cutBytes({ bytes, isSketchCut }: PageRecord): number {
  return isSketchCut ? bytes : 0;
}
