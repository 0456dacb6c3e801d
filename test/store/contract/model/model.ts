/**
 * The rules of the store in their plainest form: maps in memory, no stored counts, no indexes. The property test asks a
 * store and this model the same questions and expects the same answers.
 */
import type { Reason } from '../../../../src/core/reasons.ts';
import type { CommitBatch, FoundUrl, PatternUse, UrlResult, UrlState } from '../../../../src/store/contract.ts';
import {
  AnswersByPattern,
  afterAnswers,
  isNew,
  judgeBudget,
  roomFor,
} from '../../../../src/store/rules/pattern-budget-rule.ts';
import { pathPattern } from '../../../../src/url/traps/path-pattern.ts';

const UNUSED: PatternUse = { known: 0, leftOut: 0, answered: 0, productive: 0, barren: 0 };

export interface ModelUrl {
  readonly url: string;
  readonly host: string;
  readonly place: number;
  /** The URL on whose page it was found. */
  readonly via: string | null;
  state: UrlState;
  reason: Reason | null;
  depth: number;
  rank: number;
  failures: number;
  dueAtMs: number | null;
  redirectTo: string | null;
  /** A duplicate by content is a duplicate of the first page with the same digest. */
  page: { readonly bytes: number; readonly digest: string; readonly canonical: string | null } | null;
}

export class StoreModel {
  readonly urls = new Map<string, ModelUrl>();
  readonly owners = new Map<string, { owner: string; untilMs: number }>();
  wireBytes = 0;
  fetches = 0;
  readonly #contents = new Map<string, string>();
  readonly #patterns = new Map<string, PatternUse>();
  #captures: { readonly url: string; readonly end: number }[] = [];

  find(found: FoundUrl, budget: number, via: string | null = null): ModelUrl {
    const known = this.urls.get(found.url);
    if (known) {
      if (known.reason === 'too-deep' && found.skip === null) {
        Object.assign(known, { state: 'waiting', reason: null, depth: found.depth, rank: found.rank });
      }
      return known;
    }
    let skip = found.skip;
    if (skip === null && found.pattern !== null) {
      const use = this.useOf(found.pattern);
      skip = judgeBudget(found, use, budget);
      const leftOut = use.leftOut + (skip === null ? 0 : 1);
      this.#patterns.set(found.pattern, { ...use, known: use.known + 1, leftOut });
    }
    const fresh: ModelUrl = {
      url: found.url,
      host: found.host,
      place: this.urls.size,
      via,
      state: skip === null ? 'waiting' : 'skipped',
      reason: skip,
      depth: found.depth,
      rank: found.rank,
      failures: 0,
      dueAtMs: null,
      redirectTo: null,
      page: null,
    };
    this.urls.set(found.url, fresh);
    return fresh;
  }

  /** URLs of a host that may be handed out, in the order of arrival. */
  ready(host: string, nowMs: number): ModelUrl[] {
    return [...this.urls.values()]
      .filter((url) => url.host === host && url.state === 'waiting' && (url.dueAtMs ?? 0) <= nowMs)
      .sort((a, b) => a.rank - b.rank || a.place - b.place);
  }

  commit(batch: CommitBatch, urlOf: (result: UrlResult) => string): (UrlState | null)[] {
    const answers = new AnswersByPattern();
    const states = batch.results.map((result) => {
      const url = urlOf(result);
      for (const link of result.foundLinks) this.find(link, batch.patternBudget, url);
      const row = this.urls.get(url)!;
      if (row.state !== 'waiting' || this.owners.get(row.host)?.owner !== batch.owner) return null;
      const { failures, dueAtMs } = result;
      Object.assign(row, { ...this.#judge(result, row.url, batch.patternBudget), failures, dueAtMs });
      if (result.capture) this.#captures.push({ url: row.url, end: result.capture.offset + result.capture.length });
      answers.add(result, row.state);
      if (row.via !== null && isNew(result.page, row.state)) {
        answers.addTo({ hostId: result.hostId, url: row.via }, row.url);
      }
      return row.state;
    });
    for (const found of batch.found) this.find(found, batch.patternBudget);
    for (const each of answers.all) {
      this.#patterns.set(each.pattern, afterAnswers(this.useOf(each.pattern), each));
      this.#admit(each.pattern, batch.patternBudget);
    }
    return states;
  }

  useOf(pattern: string): PatternUse {
    return this.#patterns.get(pattern) ?? UNUSED;
  }

  /** Lets left-out URLs of a pattern wait, in the order of discovery, while there is room. */
  #admit(pattern: string, budget: number): void {
    const use = this.useOf(pattern);
    const leftOut = [...this.urls.values()].filter(
      ({ url, reason }) => reason === 'trap-pattern-budget' && pathPattern(url) === pattern,
    );
    const admitted = leftOut.slice(0, roomFor(use, budget));
    for (const url of admitted) Object.assign(url, { state: 'waiting', reason: null });
    this.#patterns.set(pattern, { ...use, leftOut: leftOut.length - admitted.length });
  }

  #judge(result: UrlResult, url: string, budget: number): Partial<ModelUrl> {
    if (result.redirectTo) {
      const redirectTo = this.find(result.redirectTo, budget, url).url;
      if (!leadsTo(url, redirectTo, (at) => this.urls.get(at)?.redirectTo)) return { ...stateOf(result), redirectTo };
      return { state: 'failed', reason: 'redirect-loop', redirectTo };
    }
    if (!result.page) return { ...stateOf(result), redirectTo: null };
    const { bytes, digest, canonical, wireBytes } = result.page;
    this.wireBytes += wireBytes;
    this.fetches++;
    const named = canonical ? this.find(canonical, budget, url).url : null;
    if (named !== null && !leadsTo(url, named, (at) => this.duplicateOf(at))) {
      return { state: 'duplicate', reason: 'duplicate-canonical', page: { bytes, digest, canonical: named } };
    }
    const first = bytes === 0 ? url : (this.#contents.get(digest) ?? url);
    if (bytes > 0) this.#contents.set(digest, first);
    const page = { bytes, digest, canonical: null };
    if (first === url) return { ...stateOf(result), page };
    return { state: 'duplicate', reason: 'duplicate-content', page };
  }

  duplicateOf(url: string): string | null {
    const row = this.urls.get(url);
    if (!row?.page || row.state !== 'duplicate') return null;
    return row.page.canonical ?? this.#contents.get(row.page.digest) ?? null;
  }

  /** URLs that wait or are skipped do not depend on the archive. */
  forgetCaptures(from: number): number {
    const lost = new Set(this.#captures.filter(({ end }) => end > from).map(({ url }) => url));
    this.#captures = this.#captures.filter(({ end }) => end <= from);
    const waiting = [...this.urls.values()].filter(
      ({ url, state }) => lost.has(url) && state !== 'waiting' && state !== 'skipped',
    );
    for (const row of waiting) {
      Object.assign(row, { state: 'waiting', reason: null, failures: 0, redirectTo: null });
      const digest = row.page?.digest;
      row.page = null;
      if (digest !== undefined && this.#contents.get(digest) === row.url) this.#handOn(digest);
    }
    return waiting.length;
  }

  #handOn(digest: string): void {
    const copies = [...this.urls.values()].filter(
      ({ reason, page }) => reason === 'duplicate-content' && page?.digest === digest,
    );
    const next = copies[0];
    if (next === undefined) this.#contents.delete(digest);
    else {
      this.#contents.set(digest, next.url);
      Object.assign(next, { state: 'fetched', reason: null });
    }
  }

  allowDepth(depth: number): number {
    const allowed = [...this.urls.values()].filter((url) => url.reason === 'too-deep' && url.depth <= depth);
    for (const url of allowed) Object.assign(url, { state: 'waiting', reason: null });
    return allowed.length;
  }
}

function stateOf({ state, reason }: UrlResult): Pick<ModelUrl, 'state' | 'reason'> {
  return { state, reason };
}

function leadsTo(url: string, from: string, next: (url: string) => string | null | undefined): boolean {
  const passed = new Set<string>();
  for (let at: string | null | undefined = from; at && !passed.has(at); at = next(at)) {
    if (at === url) return true;
    passed.add(at);
  }
  return false;
}
