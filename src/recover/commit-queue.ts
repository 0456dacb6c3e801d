/**
 * Collects the results of recovered responses and commits them like the unit reports of a crawl. In: results in order.
 * Out: the results are in the store. What always holds: `find` never misses a result that waits here, because it
 * flushes the queue first if needed. Results are committed in the order in which they came.
 */
import { Template } from '../content/template/template.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { movedSeeds } from '../crawl/earlier-runs.ts';
import type { LinkJudge } from '../crawl/links/link-judge.ts';
import type { Ranker } from '../crawl/ranking/ranker.ts';
import { afterLook } from '../frontier/revisit/visit-state.ts';
import type {
  ClaimedUrl,
  FoundUrl,
  HostManners,
  HostUpdate,
  NewRank,
  UrlRecord,
  UrlResult,
  VisitUpdate,
} from '../store/contract.ts';
import type { OlderCapture, RecoverableStore } from '../store/recoverable.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';

const RESULTS_AT_ONCE = 128;
const BYTES_AT_ONCE = 16 * 1024 * 1024;
const LEASE_MS = 24 * 60 * 60_000;
const HOSTS_KNOWN = 2_000;

export interface QueueSetup {
  readonly store: RecoverableStore;
  readonly options: CrawlOptions;
  readonly links: LinkJudge;
  readonly ranker: Ranker;
  readonly owner: string;
  /** The committed length of each archive file. */
  readonly committed: ReadonlyMap<string, number>;
  /** Called after everything in the queue was written to the store. */
  readonly onWritten: () => Promise<void>;
}

interface HeldHost {
  readonly hostId: number;
  readonly manners: HostManners;
  readonly template: Template;
}

export class CommitQueue {
  /** Targets of seeds that redirect. */
  readonly movedSeeds: string[] = [];
  refused = 0;
  readonly #setup: QueueSetup;
  readonly #hosts = new Map<string, HeldHost>();
  readonly #ids = new Set<number>();
  #results: UrlResult[] = [];
  #visits: VisitUpdate[] = [];
  #older: OlderCapture[] = [];
  #ranks: readonly NewRank[] = [];
  #bytes = 0;
  #tellNew = false;
  #lastMs = 0;

  constructor(setup: QueueSetup) {
    this.#setup = setup;
  }

  /** Returns the store's record of a URL. Returns null if the URL is not known. */
  async find(url: string): Promise<UrlRecord | null> {
    const ask = () => this.#setup.store.explain(hostOf(url), urlKeyHex(url));
    const known = await ask();
    if (this.#ids.size === 0 || (known !== null && !this.#ids.has(known.id))) return known;
    await this.flush();
    return ask();
  }

  async makeKnown(found: FoundUrl): Promise<UrlRecord | null> {
    const { store, ranker } = this.#setup;
    ranker.rank(found);
    ranker.seeded(await store.seed([found], Date.now()));
    return store.explain(found.host, found.key);
  }

  /** Returns the URL as the frontier or a refresh would return it. */
  async claim({ id, state }: UrlRecord): Promise<ClaimedUrl | null> {
    const { store } = this.#setup;
    if (state !== 'waiting') {
      const [again] = await store.revisits([id]);
      if (again !== undefined) return again;
      await store.admit([id], Date.now());
    }
    return (await store.waitingUrls([id]))[0] ?? null;
  }

  /** Leases a host, because a commit refuses results of hosts without a lease. */
  async hostOf(name: string): Promise<HeldHost> {
    const { store, owner } = this.#setup;
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    if (this.#hosts.size >= HOSTS_KNOWN) await this.release();
    const { id } = (await store.host(name))!;
    const [lease] = await store.lease({ owner, hostIds: [id], nowMs: Date.now(), leaseMs: LEASE_MS });
    const template = lease?.template ? Template.decode(lease.template) : new Template();
    const manners = lease?.manners ?? { askedAtMs: 0, delayMs: null, blockedUntilMs: 0 };
    const held = { hostId: id, manners, template };
    this.#hosts.set(name, held);
    return held;
  }

  async put(result: UrlResult, { timeMs }: { readonly timeMs: number }, tellNew: boolean): Promise<void> {
    if (tellNew !== this.#tellNew) await this.flush();
    this.#tellNew = tellNew;
    this.#lastMs = timeMs;
    const { revisit } = result;
    if (revisit && revisit.finding !== 'failing' && revisit.finding !== 'missing') {
      const [visit] = await this.#setup.store.visitsOf([result.id]);
      const hasChanged = revisit.finding !== 'same' && revisit.finding !== 'noise';
      if (visit) this.#visits.push({ id: result.id, ...afterLook(visit, revisit.checkedAtMs, hasChanged) });
    }
    this.#results.push(result);
    this.#ids.add(result.id);
    this.#bytes += (result.page?.bytes ?? 0) + 200 * result.foundLinks.length;
    if (this.#results.length >= RESULTS_AT_ONCE || this.#bytes >= BYTES_AT_ONCE) await this.flush();
  }

  async addOlder(older: OlderCapture): Promise<void> {
    this.#older.push(older);
    this.#ids.add(older.id);
    if (this.#older.length >= RESULTS_AT_ONCE) await this.flush();
  }

  async flush(): Promise<void> {
    const [results, visits, older] = [this.#results, this.#visits, this.#older];
    this.#results = [];
    this.#visits = [];
    this.#older = [];
    this.#bytes = 0;
    this.#ids.clear();
    const { store } = this.#setup;
    if (older.length > 0) await store.addHistory(older, this.#filesOf(older.map(({ capture }) => capture.file)));
    if (results.length > 0) await this.#commit(results, visits);
    await this.#setup.onWritten();
  }

  async #commit(results: readonly UrlResult[], visits: readonly VisitUpdate[], isLast = false): Promise<void> {
    const { store, options, links, ranker, owner } = this.#setup;
    const { patternBudget, learnParameters, nearDuplicate } = options;
    if (this.movedSeeds.length > 0) {
      const all = new Set([...(await movedSeeds(store)), ...this.movedSeeds.splice(0)]);
      await store.setNote('moved-seeds', JSON.stringify([...all]));
    }
    const batch = {
      owner,
      nowMs: this.#lastMs,
      results,
      hosts: this.#templateNews(isLast),
      found: [],
      archive: this.#filesOf(results.flatMap(({ capture }) => capture?.file ?? [])),
      ranks: this.#ranks,
      visits,
      tellNew: this.#tellNew,
      patternBudget,
      learnParameters,
      nearDuplicate,
    };
    ranker.beforeCommit(batch);
    const receipt = await store.commit(batch);
    ranker.afterCommit(results, receipt);
    this.#ranks = await ranker.newRanks();
    for (const lesson of receipt.lessons) links.learnParameter(lesson);
    for (const [i, { foundLinks }] of results.entries()) {
      links.learn(foundLinks, receipt.linkIds[i]!);
      if (receipt.states[i] === null) this.refused++;
    }
  }

  #templateNews(isLast: boolean): HostUpdate[] {
    return [...this.#hosts.values()].flatMap(({ hostId, manners, template }) => {
      const news = template.takeNews(isLast);
      return news === null ? [] : [{ hostId, manners, template: news }];
    });
  }

  #filesOf(names: readonly string[]): Map<string, number> {
    return new Map(names.map((name) => [name, this.#setup.committed.get(name) ?? 0]));
  }

  async release(): Promise<void> {
    const { store, owner } = this.#setup;
    await this.flush();
    await this.#commit([], [], true);
    await store.release(
      owner,
      [...this.#hosts.values()].map(({ hostId }) => hostId),
      Date.now(),
    );
    this.#hosts.clear();
  }
}
