/**
 * Decides whether a page is a duplicate: by its canonical link, by its content, or
 * nearly (E5). It also compares the hosts of both pages.
 *
 * The code runs inside the commit's transaction. `prepare` reads the data for all pages of a batch at once. The pages
 * are judged in order, and each page sees the pages before it.
 *
 * The partner for SQLite is store/sqlite/commit/judge-page.ts; the shared contract tests are
 * test/store/contract/duplicates.ts and test/store/contract/near-duplicates.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { type FoundUrl, type PageRecord, URL_STATES, type UrlResult, type UrlState } from '../../contract.ts';
import { SOFT_404 } from '../../rules/left-out.ts';
import type { NearDuplicate } from '../../rules/near-duplicate-rule.ts';
import { contentKey } from '../rows/contents.ts';
import type { StoreMemory } from '../store-memory.ts';
import type { CommitScope } from './commit-scope.ts';
import { leadsBack } from './loop-check.ts';
import { Mirrors } from './mirrors.ts';
import { NearDuplicates, type Sketched } from './near-duplicates.ts';

const GONE = URL_STATES.indexOf('gone');

export interface Judgement {
  readonly state: UrlState;
  readonly reason: Reason | null;
  readonly canonical: number | null;
  readonly duplicateOf: number | null;
  readonly near: NearDuplicate | null;
}

type PageResult = UrlResult & { readonly page: PageRecord };

export class PageJudge {
  readonly #scope: CommitScope;
  readonly #near: NearDuplicates;
  readonly #mirrors: Mirrors;
  readonly #prepared = new Set<PageRecord>();

  constructor(scope: CommitScope, memory: StoreMemory) {
    this.#scope = scope;
    this.#near = new NearDuplicates(scope.set, scope.batch.nearDuplicate ?? 0, memory.commonPrints);
    this.#mirrors = new Mirrors(scope.set);
  }

  /** Reads everything that judging these results needs. Missing data is read later, when it is needed. */
  async prepare(results: readonly UrlResult[]): Promise<void> {
    const { contents } = this.#scope.set;
    const pages = results.filter((result): result is PageResult => result.page !== null && result.reason !== SOFT_404);
    for (const { page } of pages) this.#prepared.add(page);
    // A page that names another URL as canonical most likely is its duplicate, so its content is not needed.
    const own = pages.filter(({ id, page }) => page.bytes > 0 && (this.#idOf(page.canonical) ?? id) === id);
    await Promise.all([
      this.#readNamed(results),
      contents.claim(own.map(({ id, page }) => [contentKey(page.digest), id] as const)),
    ]);
    const seen = new Set<string>();
    const fresh = own.filter(({ id, page }) => {
      const key = contentKey(page.digest);
      if (seen.has(key) || (contents.originalOf(key) ?? id) !== id) return false;
      seen.add(key);
      return true;
    });
    await this.#near.prepare(fresh.flatMap((result) => this.#sketched(result) ?? []));
  }

  /**
   * A page is a duplicate by its canonical link (C7), or else by identical content: the first page committed with the
   * content is the original. If pages name each other in a ring, the last one stays a page; otherwise none of them
   * would be a page of the copy. A page that names a URL that is gone also stays a page. A page that is no duplicate
   * may still be a near duplicate (E5); it stays a page.
   */
  async judge(result: UrlResult): Promise<Judgement> {
    const { id, state, reason, page } = result;
    if (!page || reason === SOFT_404) return { state, reason, canonical: null, duplicateOf: null, near: null };
    if (!this.#prepared.has(page)) await this.prepare([result]);
    const { contents } = this.#scope.set;
    const canonical = this.#idOf(page.canonical);
    if (canonical !== null && !(await this.#leadsNowhere(id, canonical))) {
      return { state: 'duplicate', reason: 'duplicate-canonical', canonical, duplicateOf: canonical, near: null };
    }
    if (page.bytes === 0) return { state, reason, canonical, duplicateOf: null, near: null };
    const key = contentKey(page.digest);
    await contents.claim([[key, id]]);
    const first = contents.take(key, id);
    if (first !== id) {
      return { state: 'duplicate', reason: 'duplicate-content', canonical, duplicateOf: first, near: null };
    }
    const sketched = this.#sketched(result as PageResult);
    const near = sketched === null ? null : await this.#near.judge(sketched);
    return { state, reason: reason ?? (near && 'near-duplicate'), canonical, duplicateOf: null, near };
  }

  /** An empty page, or a page that only names another as canonical, says nothing about the hosts. */
  async compareHosts({ id, hostId, url, page }: UrlResult, { reason, duplicateOf, near }: Judgement): Promise<void> {
    if (page!.bytes === 0 || reason === 'duplicate-canonical' || reason === SOFT_404) return;
    const first = duplicateOf === null ? null : this.#scope.set.contents.originalOf(contentKey(page!.digest));
    this.#mirrors.compare(id, hostId, url, first ?? near?.of ?? null);
  }

  async write(): Promise<void> {
    this.#scope.set.contents.giveBack();
    await this.#near.write();
    await this.#mirrors.write();
  }

  /**
   * Reads the URLs that results lead to, with a shared lock. If another transaction is making one of
   * them a redirect, a duplicate or gone, this waits for it. So no loop is closed unseen, and no
   * page becomes a duplicate of a URL that has just left.
   */
  async #readNamed(results: readonly UrlResult[]): Promise<void> {
    const { urls, pages } = this.#scope.set;
    const idsOf = (targetOf: (result: UrlResult) => FoundUrl | null): number[] =>
      results.flatMap((result) => {
        const target = this.#idOf(targetOf(result));
        return target === null || target === result.id ? [] : [target];
      });
    const canonical = idsOf(({ page }) => page?.canonical ?? null);
    await urls.load([...idsOf(({ redirectTo }) => redirectTo), ...canonical], 'shared');
    await pages.load(canonical, 'free');
  }

  async #leadsNowhere(id: number, canonical: number): Promise<boolean> {
    const { set } = this.#scope;
    if (await leadsBack(set, id, canonical, 'duplicates')) return true;
    return set.urls.get(canonical)?.state === GONE;
  }

  #idOf(url: FoundUrl | null): number | null {
    return url === null ? null : this.#scope.ids.get(url)!;
  }

  #sketched({ id, page }: PageResult): Sketched | null {
    const { sketch, bytes, isSketchCut } = page;
    return sketch ? { id, sketch, cutBytes: isSketchCut ? bytes : 0 } : null;
  }
}
