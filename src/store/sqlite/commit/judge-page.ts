/**
 * Finds out whether a page is a copy: by its canonical link, by its content, or nearly (E5); and what that says about
 * the hosts of both pages. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/judge-page.ts;
 * the shared contract test is test/store/contract/duplicates.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Reason } from '../../../core/reasons.ts';
import type { CanonicalVerdict, CommitBatch, FoundUrl, PageRecord, UrlResult, UrlState } from '../../contract.ts';
import { comparedPage } from '../../rules/canonical-rule.ts';
import { SOFT_404 } from '../../rules/left-out.ts';
import type { NearDuplicate } from '../../rules/near-duplicate-rule.ts';
import type { Tally } from '../../rules/tally.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { TableAccess } from '../table-access.ts';
import type { Canonicals } from './canonicals.ts';
import { CONTENT_KEY_BYTES } from './copies.ts';
import { Mirrors } from './mirrors.ts';
import type { NearDuplicates } from './near-duplicates.ts';

export interface Judgement {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly canonical: number | null;
  /** Where the canonical link leads after redirects, and whether it is believed; null without one to another URL. */
  readonly canonicalEnd: number | null;
  readonly verdict: CanonicalVerdict | null;
  readonly duplicateOf: number | null;
  readonly near: NearDuplicate | null;
}

const NOT_NAMING = { canonical: null, canonicalEnd: null, verdict: null, duplicateOf: null };

export class PageJudge extends TableAccess {
  readonly #discovery: Discovery;
  readonly #near: NearDuplicates;
  readonly #canonicals: Canonicals;
  readonly #mirrors = new Mirrors(this.db);
  readonly #firstOfContent = this.db.prepare('SELECT url_id FROM contents WHERE digest = ?');
  readonly #insertContent = this.db.prepare('INSERT INTO contents (digest, url_id) VALUES (?, ?)');

  constructor(db: DatabaseSync, discovery: Discovery, near: NearDuplicates, canonicals: Canonicals) {
    super(db);
    this.#discovery = discovery;
    this.#near = near;
    this.#canonicals = canonicals;
  }

  /**
   * A page is a duplicate by its canonical link (C7), if the link is believed, or else by identical content: the first
   * committed page is the original. A page that is no duplicate may still be a near duplicate (E5), which stays a page.
   */
  judge(result: UrlResult, batch: CommitBatch, tally: Tally): Judgement {
    const { id, state, reason, page } = result;
    if (!page || reason === SOFT_404) return { state, reason, ...NOT_NAMING, near: null };
    const link = page.canonical ? this.#judgeLink(id, page, page.canonical, batch, tally) : NOT_NAMING;
    if (link.duplicateOf !== null) return { state: 'duplicate', reason: 'duplicate-canonical', ...link, near: null };
    if (page.bytes === 0) return { state, reason, ...link, near: null };
    const digest = Buffer.from(page.digest.slice(0, 2 * CONTENT_KEY_BYTES), 'hex');
    const first = this.#firstOfContent.get(digest) as { url_id: number } | undefined;
    if (first === undefined) this.#insertContent.run(digest, id);
    if (first !== undefined && first.url_id !== id) {
      return { state: 'duplicate', reason: 'duplicate-content', ...link, duplicateOf: first.url_id, near: null };
    }
    const near = page.sketch ? this.#near.judge(id, page.sketch, batch.nearDuplicate ?? 0) : null;
    return { state, reason: reason ?? (near && 'near-duplicate'), ...link, near };
  }

  #judgeLink(id: number, page: PageRecord, named: FoundUrl, batch: CommitBatch, tally: Tally) {
    const canonical = this.#discovery.idOf(named, id, batch.patternBudget, tally);
    if (canonical === id) return { ...NOT_NAMING, canonical };
    return { canonical, ...this.#canonicals.judge(id, comparedPage(page), canonical) };
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
