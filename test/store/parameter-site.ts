/** A host whose pages are committed one by one, for tests of what a store learns about query parameters. */
import type { CommitReceipt, HostLease, ParameterLesson, Store, UrlResult } from '../../src/store/contract.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { batchOf, claimOne, found, NOW_MS, OWNER, page, recordOf, resultOf } from './rows.ts';

export const HOST = 'http://a.test';

/** The response of a path; null means 404. */
export type Answers = (path: string) => string | null;

export class ParameterSite {
  readonly #store: Store;
  readonly #lease: HostLease;

  private constructor(store: Store, lease: HostLease) {
    this.#store = store;
    this.#lease = lease;
  }

  static async open(store: Store): Promise<ParameterSite> {
    await store.seed([found(`${HOST}/seed`)], NOW_MS);
    return new ParameterSite(store, await claimOne(store));
  }

  /** Makes the URLs known and commits a response for each waiting URL, each in its own commit. */
  async visit(paths: readonly string[], answers: Answers): Promise<CommitReceipt[]> {
    await this.know(paths);
    const receipts: CommitReceipt[] = [];
    for (const path of paths) {
      const { id, url, state } = await recordOf(this.#store, HOST + path);
      if (state !== 'waiting') continue;
      const body = answers(path);
      const result: Partial<UrlResult> =
        body === null ? { state: 'failed', reason: 'not-found', failures: 1 } : { page: page(body) };
      receipts.push(await this.#store.commit(batchOf([resultOf(this.#lease, { id, url }, result)])));
    }
    return receipts;
  }

  know(paths: readonly string[]): Promise<readonly number[]> {
    return this.#store.seed(
      paths.map((path) => found(HOST + path)),
      NOW_MS,
    );
  }

  /** Commits a page that links to a variant which the unit skipped in favour of its stand-in. */
  async linkLeftOut(from: string, variant: string, standIn: string | null): Promise<CommitReceipt> {
    await this.know([from]);
    const { id, url } = await recordOf(this.#store, HOST + from);
    const links = standIn === null ? [] : [found(HOST + standIn)];
    const foundLinks = [...links, found(HOST + variant, { skip: 'ignored-parameter' })];
    return this.#store.commit(
      batchOf([resultOf(this.#lease, { id, url }, { page: page(`links of ${from}`), foundLinks })]),
    );
  }

  /** Commits the report of a unit that skips a URL which was about to be fetched. */
  async leaveOut(variant: string, standIn: string): Promise<CommitReceipt> {
    const { id, url } = await recordOf(this.#store, HOST + variant);
    const result = { state: 'skipped', reason: 'ignored-parameter', standIn: found(HOST + standIn) } as const;
    return this.#store.commit(batchOf([resultOf(this.#lease, { id, url }, result)]));
  }

  /** `state` or `state/reason`. */
  async fate(path: string): Promise<string> {
    const { state, reason } = await recordOf(this.#store, HOST + path);
    return reason === null ? state : `${state}/${reason}`;
  }

  /** The path of the stand-in. */
  async standIn(path: string): Promise<string | null> {
    const { standIn } = await recordOf(this.#store, HOST + path);
    return standIn?.slice(HOST.length) ?? null;
  }

  /** Spot checks: URLs that are handed out although they have a stand-in. */
  async audits(): Promise<string[]> {
    const urls = await this.#store.claimMore(this.#lease.hostId, { limit: 1_000, besides: new Set(), nowMs: NOW_MS });
    return urls.filter(({ standIn }) => typeof standIn === 'number').map(({ url }) => url.slice(HOST.length));
  }

  /** Releases the host for the next owner. */
  leave(): Promise<void> {
    return this.#store.release(OWNER, [this.#lease.hostId], NOW_MS);
  }

  isKnown(path: string): Promise<boolean> {
    return this.#store.explain(HOST, urlKeyHex(HOST + path)).then((record) => record !== null);
  }
}

/** `/item/1`, `/item/1?ref=a` … for each item. */
export function itemPaths(items: readonly number[], queries: readonly string[]): string[] {
  return items.flatMap((item) => queries.map((query) => `/item/${item}${query}`));
}

/** A response that depends on the path alone. */
export const byPath: Answers = (path) => `page at ${path.split('?')[0]}`;

export function verdicts(lessons: readonly ParameterLesson[]): string[] {
  return lessons.map(({ space, name, verdict }) => `${space} ${name} ${verdict}`);
}
