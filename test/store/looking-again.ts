/** A small copy of one host, and visits to its pages, one commit each. */
import type { ChangeClass } from '../../src/core/page/change-class.ts';
import {
  type ChangeEntry,
  type CommitBatch,
  type Finding,
  type PageRecord,
  type Store,
  URL_STATES,
  type UrlResult,
  type UrlState,
  type VisitRecord,
} from '../../src/store/contract.ts';
import { hostOf } from '../../src/url/host.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { claimOne, commit, found, linksTo, NOW_MS, page, recordOf, resultOf } from './rows.ts';

export const HOUR_MS = 3_600_000;

export function at(path: string): string {
  return `http://a.test/${path}`;
}

/** The first response of a URL of the copy. */
export interface FirstAnswer extends Partial<Omit<UrlResult, 'page'>> {
  /** The body; absent if there is no page. */
  readonly body?: string;
  readonly more?: Partial<PageRecord>;
  /** Paths of the copy that the page links to. */
  readonly links?: readonly string[];
}

/** The finding of a simulated visit to a page. */
export interface Sight extends Partial<Omit<UrlResult, 'page' | 'revisit'>> {
  readonly body?: string;
  readonly more?: Partial<PageRecord>;
  readonly links?: readonly string[];
  readonly change?: string;
  readonly classified?: ChangeClass;
}

export class LookedAt {
  readonly store: Store;
  readonly ids: ReadonlyMap<string, number>;
  readonly hostId: number;
  nowMs = NOW_MS;
  /** The batch that committed the last visit. */
  last: CommitBatch | null = null;

  constructor(store: Store, hostId: number, ids: ReadonlyMap<string, number>) {
    this.store = store;
    this.hostId = hostId;
    this.ids = ids;
  }

  id(path: string): number {
    return this.ids.get(path)!;
  }

  /** Visits the page one hour later. Returns the new state of the URL, or null if the visit did not count. */
  async look(path: string, finding: Finding, sight: Sight = {}, batch: Partial<CommitBatch> = {}) {
    const [task] = await this.store.revisits([this.id(path)]);
    this.nowMs += HOUR_MS;
    const { body, more, links = [], change = null, classified, ...rest } = sight;
    const result = resultOf(this, task!, {
      state: stateAfter(finding),
      failures: finding === 'missing' || finding === 'failing' ? task!.earlier!.failures + 1 : 0,
      page: body === undefined ? null : page(body, more),
      knownLinks: linksTo(links.map((link) => this.id(link))),
      ...rest,
      revisit: { sinceMs: task!.earlier!.checkedAtMs, checkedAtMs: this.nowMs, finding, change, ...classified },
    });
    const receipt = await commit(this.store, [result], { nowMs: this.nowMs, ...batch });
    this.last = {
      owner: 'first',
      nowMs: this.nowMs,
      results: [result],
      hosts: [],
      found: [],
      archive: new Map(),
      patternBudget: 1_000,
      ranks: [],
      ...batch,
    };
    return receipt.states[0]!;
  }

  async states(paths: readonly string[]): Promise<UrlState[]> {
    return Promise.all(paths.map(async (path) => (await recordOf(this.store, at(path))).state));
  }

  async visit(path: string): Promise<VisitRecord> {
    const [visit] = await this.store.visits(this.id(path) - 1, 1);
    if (visit?.id !== this.id(path)) throw new Error(`${path} has no visits`);
    return visit;
  }

  async changes(): Promise<readonly ChangeEntry[]> {
    return this.store.changes(0, 1_000);
  }

  /** Entries such as `changed a`, in order. */
  async changeWords(): Promise<string[]> {
    return (await this.changes()).map(({ kind, url }) => `${kind} ${url.slice(at('').length)}`);
  }

  async changeOf(path: string): Promise<readonly ChangeEntry[]> {
    return this.store.changesOf(hostOf(at(path)), urlKeyHex(at(path)), 10);
  }
}

/** Crawls these paths once: the first is the seed and links to all others. */
export async function copyOf(store: Store, answers: Readonly<Record<string, FirstAnswer>>): Promise<LookedAt> {
  const paths = Object.keys(answers);
  const [first] = await store.seed([found(at(paths[0]!), { depth: 0 })], NOW_MS);
  const { hostId } = await claimOne(store, { leaseMs: 1e9 });
  const ids = new Map([[paths[0]!, first!]]);
  for (const path of paths) {
    const { body, more, links = [], ...rest } = answers[path]!;
    const isFirst = path === paths[0];
    const result = resultOf(
      { hostId },
      { id: ids.get(path)!, url: at(path) },
      {
        page: body === undefined ? null : page(body, more),
        foundLinks: isFirst ? paths.slice(1).map((other) => found(at(other))) : [],
        knownLinks: linksTo(links.map((link) => ids.get(link)!)),
        ...rest,
      },
    );
    const { linkIds, states } = await commit(store, [result]);
    if (states[0] === null) throw new Error(`${path} was not committed`);
    if (isFirst) for (const [i, id] of linkIds[0]!.entries()) ids.set(paths[i + 1]!, id);
  }
  return new LookedAt(store, hostId, ids);
}

function stateAfter(finding: Finding): UrlState {
  const named = URL_STATES.find((state) => state === finding);
  if (named !== undefined) return named;
  if (finding === 'moved') return 'redirect';
  return finding === 'refused' ? 'skipped' : 'fetched';
}
