/**
 * A random crawl whose pages are visited again while it runs: they change, move, disappear and come
 * back, are copies of each other by content and by canonical link, and the archive loses its end. Plain
 * maps hold the current state of each page.
 */
import assert from 'node:assert/strict';
import {
  type ClaimedUrl,
  type CommitBatch,
  FINDINGS,
  type Finding,
  type Store,
  type UrlResult,
  type UrlState,
} from '../../../../src/store/contract.ts';
import { SeededRandom } from '../../../../testbed/random.ts';
import { batchOf, capture, FILE, found, linksTo, NOW_MS, OTHER_OWNER, OWNER, page, resultOf } from '../../rows.ts';

const HOSTS = 2;
const PATHS = 14;
const BODIES = 8;
/** Pages mostly stay or change; otherwise soon all pages would be gone. */
const LIKELY: readonly Finding[] = ['same', 'noise', 'changed', 'changed', 'changed', 'changed', 'moved'];

export interface KnownPage {
  readonly digest: string;
  readonly links: ReadonlySet<string>;
  /** Where the part of the archive ends that holds the page. */
  readonly endsAt: number;
}

/** The hosts of this crawl, if several crawls work on one store. The default is all hosts. */
export interface Share {
  readonly owner: string;
  readonly file: string;
  readonly hosts: readonly number[];
}

const EVERYTHING: Share = { owner: OWNER, file: FILE, hosts: Array.from({ length: HOSTS }, (_, i) => i) };

export class RandomLooks {
  /** The current state of each page, by URL. */
  readonly pages = new Map<string, KnownPage>();
  looks = 0;
  readonly #store: Store;
  readonly #random: SeededRandom;
  readonly #share: Share;
  readonly #idOf = new Map<string, number>();
  #nowMs = NOW_MS;
  #archiveBytes = 0;

  constructor(store: Store, seed: number, share: Share = EVERYTHING) {
    this.#share = share;
    this.#store = store;
    this.#random = new SeededRandom(seed);
  }

  async begin(): Promise<void> {
    const seeds = Array.from({ length: HOSTS }, (_, i) => found(`http://h${i}.test/0`, { depth: 0 }));
    const ids = await this.#store.seed(seeds, NOW_MS);
    for (const [i, { url }] of seeds.entries()) this.#idOf.set(url, ids[i]!);
  }

  async step(): Promise<string> {
    this.#nowMs += 1_000;
    const steps = ['fetch', 'fetch', 'look', 'look', 'look', 'look', 'look', 'count', 'lose'] as const;
    const step = this.#random.pick(steps);
    await this[step]();
    return step;
  }

  async count(): Promise<void> {
    await this.#store.countLinks();
  }

  /** Commits first responses of some waiting URLs. */
  async fetch(): Promise<void> {
    const results: UrlResult[] = [];
    const leases = await this.#leases();
    for (const lease of leases) {
      const tasks = await this.#store.claimMore(lease.hostId, {
        limit: 1 + this.#random.below(3),
        besides: new Set(),
        nowMs: this.#nowMs,
      });
      for (const task of tasks) results.push(this.#firstResult(lease, task));
    }
    await this.#commit(results);
    await this.#release(leases);
  }

  /** Visits some pages, sometimes as an owner that does not hold the host or that is too late. */
  async look(): Promise<void> {
    const leases = await this.#leases();
    const own = new Set(leases.map(({ hostId }) => hostId));
    const all = (await this.#store.visits(0, 1_000)).filter(({ hostId }) => own.has(hostId));
    const visits = all.filter(() => this.#random.below(6) === 0);
    const results: UrlResult[] = [];
    for (const task of await this.#store.revisits(visits.map(({ id }) => id))) {
      const hostId = visits.find(({ id }) => id === task.id)!.hostId;
      results.push(this.#lookAt({ hostId }, task));
    }
    await this.#commit(results);
    await this.#release(leases);
  }

  /** The archive loses its end: pages with their content there wait again. */
  async lose(): Promise<void> {
    if (this.#random.below(3) > 0) return;
    const from = this.#archiveBytes - this.#random.below(600);
    await this.#store.forgetCaptures(this.#share.file, Math.max(0, from), this.#nowMs);
    for (const [url, { endsAt }] of this.pages) if (endsAt > from) this.pages.delete(url);
  }

  async #leases() {
    const names = new Set(this.#share.hosts.map((i) => `http://h${i}.test`));
    const hosts = (await this.#store.hosts(0, 100)).filter(({ host }) => names.has(host));
    return this.#store.lease({
      owner: this.#share.owner,
      hostIds: hosts.map(({ id }) => id),
      nowMs: this.#nowMs,
      leaseMs: 1e6,
    });
  }

  async #release(leases: readonly { readonly hostId: number }[]): Promise<void> {
    const hostIds = leases.map(({ hostId }) => hostId);
    await this.#store.release(this.#share.owner, hostIds, this.#nowMs);
  }

  async #commit(results: readonly UrlResult[]): Promise<void> {
    const { owner, file } = this.#share;
    const archive = new Map([[file, this.#archiveBytes]]);
    const batch = batchOf(results, { owner, nowMs: this.#nowMs, archive, patternBudget: 1_000, tellNew: true });
    if (this.#random.below(4) === 0) await this.#refused({ ...batch, owner: OTHER_OWNER });
    const receipt = await this.#store.commit(batch);
    this.#learnIds(batch, receipt.linkIds);
    for (const [i, result] of results.entries()) {
      assert.notEqual(receipt.states[i], null, result.revisit?.finding);
      this.#remember(result, receipt.states[i]!);
    }
    this.looks += results.filter(({ revisit }) => revisit).length;
    if (this.#random.below(3) === 0) await this.#refused(batch);
  }

  async #refused(batch: CommitBatch): Promise<void> {
    const { states, linkIds } = await this.#store.commit(batch);
    this.#learnIds(batch, linkIds);
    const counted = states.filter((state, i) => state !== null && batch.results[i]!.state !== 'waiting');
    assert.deepEqual(counted, []);
  }

  #learnIds({ results }: CommitBatch, linkIds: readonly (readonly number[])[]): void {
    for (const [i, { foundLinks }] of results.entries()) {
      for (const [j, { url }] of foundLinks.entries()) this.#idOf.set(url, linkIds[i]![j]!);
    }
  }

  #remember(result: UrlResult, state: UrlState): void {
    const { url, page: kept, capture: taken, revisit, isReread } = result;
    const finding = revisit?.finding ?? 'changed';
    const now = this.pages.get(url);
    if (isReread && now !== undefined) this.pages.set(url, { ...now, links: this.#linksIn(result) });
    if (finding === 'same' || finding === 'missing' || finding === 'failing') return;
    // The redirect leads back to the page itself, so the page is kept.
    if (finding === 'moved' && state !== 'redirect') return;
    if (kept === null) {
      this.pages.delete(url);
      return;
    }
    this.pages.set(url, {
      digest: kept.digest,
      links: this.#linksIn(result),
      endsAt: taken!.offset + taken!.length,
    });
  }

  /** Without the link of a page to itself. */
  #linksIn({ url, knownLinks, foundLinks }: UrlResult): ReadonlySet<string> {
    const urlOf = new Map([...this.#idOf].map(([known, id]) => [id, known]));
    const known = knownLinks.map((value) => urlOf.get(Math.floor(value / linksTo([1])[0]!))!);
    return new Set([...known, ...foundLinks.map((link) => link.url)].filter((target) => target !== url));
  }

  #firstResult(lease: { readonly hostId: number }, task: ClaimedUrl): UrlResult {
    const kind = this.#random.below(8);
    if (kind === 0) return resultOf(lease, task, { state: 'failed', reason: 'not-found' });
    if (kind === 1) return resultOf(lease, task, { state: 'redirect', redirectTo: this.#anyUrl() });
    return resultOf(lease, task, this.#content());
  }

  #lookAt(host: { readonly hostId: number }, task: ClaimedUrl): UrlResult {
    const finding = this.#random.pick(this.#random.below(3) === 0 ? FINDINGS : LIKELY);
    const revisit = { sinceMs: task.earlier!.checkedAtMs, checkedAtMs: this.#nowMs, finding, change: null };
    const failures = task.earlier!.failures + 1;
    return resultOf(host, task, { failures, ...this.#sight(finding), revisit });
  }

  #sight(finding: Finding): Partial<UrlResult> {
    if (finding === 'noise' || finding === 'changed') return this.#content();
    if (finding === 'moved') return { state: 'redirect', redirectTo: this.#anyUrl() };
    if (finding === 'refused') return { state: 'skipped', reason: 'robots-disallowed' };
    if (finding === 'same') return this.#random.below(2) === 0 ? {} : { ...this.#links(), isReread: true };
    return { reason: 'not-found', dueAtMs: this.#nowMs + 5_000 };
  }

  #content(): Partial<UrlResult> {
    const taken = capture(this.#archiveBytes, { fetchedAtMs: this.#nowMs, file: this.#share.file });
    this.#archiveBytes += taken.length;
    const body = 'x'.repeat(this.#random.below(BODIES));
    const canonical = this.#random.below(4) === 0 ? this.#anyUrl() : null;
    return { page: page(body, { canonical }), capture: taken, ...this.#links() };
  }

  #links(): Pick<UrlResult, 'knownLinks' | 'foundLinks'> {
    const known = [...this.#idOf.values()].filter(() => this.#random.below(8) === 0);
    return {
      knownLinks: linksTo(known),
      foundLinks: Array.from({ length: this.#random.below(3) }, () => this.#anyUrl()),
    };
  }

  #anyUrl() {
    return found(`http://h${this.#random.below(HOSTS)}.test/${this.#random.below(PATHS)}`);
  }
}
