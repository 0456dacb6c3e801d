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
import type { CanonicalVerdict, FoundUrl, PageRecord, UrlResult, UrlState } from '../../contract.ts';
import { comparedPage } from '../../rules/canonical-rule.ts';
import { SOFT_404 } from '../../rules/left-out.ts';
import type { NearDuplicate } from '../../rules/near-duplicate-rule.ts';
import { contentKey } from '../rows/contents.ts';
import type { StoreMemory } from '../store-memory.ts';
import type { Canonicals } from './canonicals.ts';
import type { CommitScope } from './commit-scope.ts';
import { Mirrors } from './mirrors.ts';
import { NearDuplicates, type Sketched } from './near-duplicates.ts';

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

type PageResult = UrlResult & { readonly page: PageRecord };

export class PageJudge {
  readonly #scope: CommitScope;
  readonly #near: NearDuplicates;
  readonly #canonicals: Canonicals;
  readonly #mirrors: Mirrors;
  readonly #prepared = new Set<PageRecord>();

  constructor(scope: CommitScope, memory: StoreMemory, canonicals: Canonicals) {
    this.#scope = scope;
    this.#canonicals = canonicals;
    this.#near = new NearDuplicates(scope.set, scope.batch.nearDuplicate ?? 0, memory.commonPrints);
    this.#mirrors = new Mirrors(scope.set);
  }

  /** Reads everything that judging these results needs. Missing data is read later, when it is needed. */
  async prepare(results: readonly UrlResult[]): Promise<void> {
    const { contents } = this.#scope.set;
    const pages = results.filter((result): result is PageResult => result.page !== null && result.reason !== SOFT_404);
    for (const { page } of pages) this.#prepared.add(page);
    await this.#readNamed(results);
    const own = pages.filter(({ id, page }) => page.bytes > 0 && !this.#namesPage(id, page));
    await contents.claim(own.map(({ id, page }) => [contentKey(page.digest), id] as const));
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
   * A page is a duplicate by its canonical link (C7), if the link is believed, or else by identical content: the first
   * page committed with the content is the original. A page that is no duplicate may still be a near duplicate (E5); it
   * stays a page.
   */
  async judge(result: UrlResult): Promise<Judgement> {
    const { id, state, reason, page } = result;
    if (!page || reason === SOFT_404) return { state, reason, ...NOT_NAMING, near: null };
    if (!this.#prepared.has(page)) await this.prepare([result]);
    const { contents } = this.#scope.set;
    const link = page.canonical ? await this.#judgeLink(id, page, this.#idOf(page.canonical)!) : NOT_NAMING;
    if (link.duplicateOf !== null) return { state: 'duplicate', reason: 'duplicate-canonical', ...link, near: null };
    if (page.bytes === 0) return { state, reason, ...link, near: null };
    const key = contentKey(page.digest);
    await contents.claim([[key, id]]);
    const first = contents.take(key, id);
    if (first !== id) {
      return { state: 'duplicate', reason: 'duplicate-content', ...link, duplicateOf: first, near: null };
    }
    const sketched = this.#sketched(result as PageResult);
    const near = sketched === null ? null : await this.#near.judge(sketched);
    return { state, reason: reason ?? (near && 'near-duplicate'), ...link, near };
  }

  async #judgeLink(id: number, page: PageRecord, canonical: number) {
    if (canonical === id) return { ...NOT_NAMING, canonical };
    return { canonical, ...(await this.#canonicals.judge(id, comparedPage(page), canonical)) };
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

  /** Such a page most likely is a duplicate by its canonical link, so its content is read only if it is not. */
  #namesPage(id: number, { canonical }: PageRecord): boolean {
    const named = this.#idOf(canonical) ?? id;
    return named !== id && this.#scope.set.pages.get(named) !== null;
  }

  #idOf(url: FoundUrl | null): number | null {
    return url === null ? null : this.#scope.ids.get(url)!;
  }

  #sketched({ id, page }: PageResult): Sketched | null {
    return page.sketch ? { id, sketch: page.sketch } : null;
  }
}
