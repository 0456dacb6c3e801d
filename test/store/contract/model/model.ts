/**
 * The rules of the store in their plainest form: maps in memory, no stored counts, no indexes. The property test asks a
 * store and this model the same questions and expects the same answers.
 */
import type { Reason } from '../../../../src/core/reasons.ts';
import type { CommitBatch, FoundUrl, PatternUse, UrlResult, UrlState } from '../../../../src/store/contract.ts';
import { MOST_STEPS } from '../../../../src/store/rules/canonical-rule.ts';
import {
  AnswersByPattern,
  afterAnswers,
  finderOf,
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
  page: ModelPage | null;
}

interface ModelPage {
  readonly bytes: number;
  readonly digest: string;
  /** The URL that it names as canonical, and where that leads after redirects. */
  readonly canonical: string | null;
  end: string | null;
  /** The page that it duplicates by its canonical link. A duplicate by content is one of the first page with the digest. */
  follows: string | null;
}

export class StoreModel {
  readonly urls = new Map<string, ModelUrl>();
  readonly owners = new Map<string, { owner: string; untilMs: number }>();
  wireBytes = 0;
  fetches = 0;
  readonly #contents = new Map<string, string>();
  readonly #patterns = new Map<string, PatternUse>();
  readonly #changed = new Set<string>();
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
      if (row.state !== 'waiting') this.#changed.add(row.url);
      answers.add(result, row.state);
      if (row.via !== null && isNew(result.page, row.state)) {
        answers.addTo(finderOf({ hostId: result.hostId, url: row.via }), row.url);
      }
      return row.state;
    });
    for (const found of batch.found) this.find(found, batch.patternBudget);
    this.#settle();
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
    const other = named === url ? null : named;
    const page: ModelPage = { bytes, digest, canonical: other, end: null, follows: null };
    if (other !== null) Object.assign(page, this.#judgeLink(url, page));
    if (page.follows !== null) return { state: 'duplicate', reason: 'duplicate-canonical', page };
    const first = bytes === 0 ? url : (this.#contents.get(digest) ?? url);
    if (bytes > 0) this.#contents.set(digest, first);
    if (first === url) return { ...stateOf(result), page };
    return { state: 'duplicate', reason: 'duplicate-content', page };
  }

  /** Without sketches, a page resembles only a page with the same bytes. */
  #judgeLink(url: string, { bytes, digest, canonical }: ModelPage): Pick<ModelPage, 'end' | 'follows'> {
    const end = lastOf(canonical!, (at) => (at === url ? null : this.#redirectOf(at)));
    const target = this.urls.get(end)!.page;
    if (end === url || target === null) return { end, follows: null };
    const chain = (at: string) => this.urls.get(at)!.page?.end;
    if (leadsTo(url, end, chain) || isRing(end, chain)) return { end, follows: null };
    const last = target.follows ?? end;
    const isAlike = bytes > 0 && this.urls.get(last)!.page?.digest === digest;
    return { end, follows: isAlike ? last : null };
  }

  #redirectOf(url: string): string | null {
    const { state, redirectTo } = this.urls.get(url)!;
    return state === 'redirect' ? redirectTo : null;
  }

  /** Judges again the pages that name a changed URL, and the pages that name those, until nothing changes. */
  #settle(): void {
    const queue = [...this.#changed];
    this.#changed.clear();
    for (const changed of queue) {
      for (const row of this.urls.values()) {
        const { url, page } = row;
        if (page?.canonical == null || page.end !== changed) continue;
        const judged = this.#judgeLink(url, page);
        if (judged.end !== page.end || judged.follows !== page.follows) queue.push(url);
        if (judged.follows !== page.follows) this.#move(row, page, judged.follows);
        Object.assign(page, judged);
      }
    }
  }

  #move(row: ModelUrl, page: ModelPage, follows: string | null): void {
    const { url } = row;
    const { bytes, digest } = page;
    if (follows !== null) {
      const isPreferred = this.urls.get(follows)!.reason === 'duplicate-content';
      if (this.#contents.get(digest) === url) this.#handOn(digest, isPreferred ? follows : null, url);
      Object.assign(row, { state: 'duplicate', reason: 'duplicate-canonical' });
      return;
    }
    const isFirst = bytes === 0 || !this.#contents.has(digest);
    if (isFirst && bytes > 0) this.#contents.set(digest, url);
    const alone = isFirst ? { state: 'fetched', reason: null } : { state: 'duplicate', reason: 'duplicate-content' };
    Object.assign(row, alone);
  }

  duplicateOf(url: string): string | null {
    const row = this.urls.get(url);
    if (!row?.page || row.state !== 'duplicate') return null;
    const { follows, digest } = row.page;
    return (follows === null ? null : (this.duplicateOf(follows) ?? follows)) ?? this.#contents.get(digest) ?? null;
  }

  /** URLs that wait or are skipped do not depend on the archive. */
  forgetCaptures(from: number): number {
    const lost = new Set(this.#captures.filter(({ end }) => end > from).map(({ url }) => url));
    this.#captures = this.#captures.filter(({ end }) => end <= from);
    const waiting = [...this.urls.values()].filter(
      ({ url, state }) => lost.has(url) && state !== 'waiting' && state !== 'skipped',
    );
    for (const row of waiting) {
      const { url, redirectTo } = row;
      Object.assign(row, { state: 'waiting', reason: null, failures: 0, redirectTo: null });
      const digest = row.page?.digest;
      row.page = null;
      if (digest !== undefined && this.#contents.get(digest) === url) this.#handOn(digest, null, url);
      this.#changed.add(url);
      if (redirectTo !== null) this.#changed.add(lastOf(redirectTo, (at) => this.#redirectOf(at)));
    }
    this.#settle();
    return waiting.length;
  }

  #handOn(digest: string, preferred: string | null, from: string): void {
    const copies = [...this.urls.values()].filter(
      ({ url, reason, page }) => url !== from && reason === 'duplicate-content' && page?.digest === digest,
    );
    const next = preferred === null ? copies[0] : this.urls.get(preferred);
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

/** The last URL of a chain that ends. */
function lastOf(url: string, next: (url: string) => string | null): string {
  let at = url;
  for (let step = 0; step < MOST_STEPS; step++) {
    const after = next(at);
    if (after === null) break;
    at = after;
  }
  return at;
}

function isRing(from: string, next: (url: string) => string | null | undefined): boolean {
  let [steps, at]: [number, string | null | undefined] = [1, from];
  for (let after = next(from); after && after !== at; after = next(after)) {
    if (++steps > MOST_STEPS) return true;
    at = after;
  }
  return false;
}
