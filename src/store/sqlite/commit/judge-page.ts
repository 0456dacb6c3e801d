/**
 * Finds out whether a page is a copy: by its canonical link, by its content, or nearly (E5); and what that says about
 * the hosts of both pages. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/judge-page.ts;
 * the shared contract test is test/store/contract/duplicates.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import type { CommitBatch, PageRecord, UrlResult, UrlState } from '../../contract.ts';
import { URL_STATES } from '../../contract.ts';
import { SOFT_404 } from '../../rules/left-out.ts';
import type { NearDuplicate } from '../../rules/near-duplicate-rule.ts';
import type { Tally } from '../../rules/tally.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { TableAccess } from '../table-access.ts';
import { CONTENT_KEY_BYTES, ORIGINAL } from './copies.ts';
import { leadsBack } from './loop-check.ts';
import { Mirrors } from './mirrors.ts';
import type { NearDuplicates } from './near-duplicates.ts';

export interface Judgement {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly canonical: number | null;
  readonly duplicateOf: number | null;
  readonly near: NearDuplicate | null;
}

export class PageJudge extends TableAccess {
  readonly #discovery: Discovery;
  readonly #near: NearDuplicates;
  readonly #mirrors = new Mirrors(this.db);
  readonly #duplicateOf = this.db.prepare(`SELECT ${ORIGINAL} AS next FROM pages p WHERE url_id = ?`);
  readonly #isGone = this.db.prepare(`SELECT 1 FROM urls WHERE id = ? AND state = ${URL_STATES.indexOf('gone')}`);
  readonly #firstOfContent = this.db.prepare('SELECT url_id FROM contents WHERE digest = ?');
  readonly #insertContent = this.db.prepare('INSERT INTO contents (digest, url_id) VALUES (?, ?)');

  constructor(db: DatabaseSync, discovery: Discovery, near: NearDuplicates) {
    super(db);
    this.#discovery = discovery;
    this.#near = near;
  }

  /**
   * A page is a duplicate by its canonical link (C7), or else by identical content: the first committed page is the
   * original. If pages name each other in a loop, the last one stays a page, because otherwise the copy would have none
   * of them. A page that names a URL that is gone stays a page too. A page that is no duplicate may still be a near
   * duplicate (E5), which also stays a page.
   */
  judge({ id, state, reason, page }: UrlResult, batch: CommitBatch, tally: Tally): Judgement {
    if (!page || reason === SOFT_404) return { state, reason, canonical: null, duplicateOf: null, near: null };
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
    return leadsBack(id, canonical, this.#duplicateOf) || this.#isGone.get(canonical) !== undefined;
  }

  /** Called when a page changes or leaves the copy: its old text is forgotten. */
  leave(id: number): void {
    this.#near.leave(id);
  }

  /** A page that only names another page as canonical says nothing about the hosts, and neither does an empty page. */
  compareHosts({ id, hostId, url, page }: UrlResult, { reason, duplicateOf, near }: Judgement): void {
    if (page!.bytes === 0 || reason === 'duplicate-canonical' || reason === SOFT_404) return;
    this.#mirrors.compare(id, hostId, url, duplicateOf ?? near?.of ?? null);
  }

  write(): void {
    this.#near.write();
    this.#mirrors.write();
  }

  /** Called after a rollback. */
  forget(): void {
    this.#near.forget();
    this.#mirrors.forget();
  }
}

/** The size that a similar page must come near to; 0 if the sketch covers the whole text. */
function cutBytes({ bytes, isSketchCut }: PageRecord): number {
  return isSketchCut ? bytes : 0;
}
