/**
 * What a refresh looks at, in steps: first what tells of other pages (sitemaps, feeds), then, where it is not known yet whether
 * that can be believed, what they say has changed and a sample of what they say has not; then all that is worth it by the policy.
 *
 * A source is believed while it proves true for its host: of the pages it was silent about, hardly any had changed. What a believed
 * source is silent about is left out, but for a few, so that the day it stops telling the truth is noticed.
 */
import type { RefreshOptions } from '../core/refresh-options.ts';
import { type Policy, policyNamed } from '../frontier/revisit/policy.ts';
import { Schedule } from '../frontier/revisit/schedule.ts';
import type { SourceRecord, Store, UrlResult, VisitRecord, VisitUpdate } from '../store/contract.ts';
import { EvenSample } from './even-sample.ts';
import { PageFilter } from './page-filter.ts';
import { PageWeights } from './page-weights.ts';

export interface PlannedPage {
  readonly id: number;
  readonly hostId: number;
}

/** Looks at pages a source was silent about, before it is judged; and of how many of them may have changed all the same. */
const PROVEN_BY = 20;
const MOST_MISSED = 0.02;
/** Of the pages a believed source is silent about, one in so many is looked at all the same. */
const AUDITED_OF = 64;
/** A little more than proves it, since some will not answer. */
const SAMPLE = 32;
const READ_AT_ONCE = 10_000;
const WATCH_DUE = 0.2;

const STEPS = ['sources', 'proof', 'rest', 'over'] as const;

export class RefreshPlan {
  readonly #store: Store;
  readonly #options: RefreshOptions;
  readonly #policy: Policy;
  readonly #weights: PageWeights;
  readonly #filter: PageFilter;
  readonly #rereadBeforeMs: number;
  #schedule = new Schedule();
  #step = 0;
  #round = 0;

  /** Pages last looked at before `rereadBeforeMs` are worth a look whatever a source says: their links are to be read anew. */
  constructor(store: Store, options: RefreshOptions, rereadBeforeMs = 0) {
    this.#store = store;
    this.#options = options;
    this.#policy = policyNamed(options.policy, { topLevels: options.topLevels });
    this.#weights = new PageWeights(store, options);
    this.#filter = new PageFilter(store, options.only);
    this.#rereadBeforeMs = rereadBeforeMs;
  }

  beginRound(): void {
    this.#step = 0;
    this.#round++;
  }

  /** The pages of the next step, best first; null when there is none. */
  async next(nowMs: number, room: number): Promise<readonly PlannedPage[] | null> {
    while (STEPS[this.#step] !== 'over') {
      const step = STEPS[this.#step++]!;
      const planned = await this.#planOf(step, nowMs, room);
      if (planned.length > 0) return planned;
    }
    return null;
  }

  #planOf(step: (typeof STEPS)[number], nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    if (step === 'rest') return this.#bestOfAll(nowMs, room);
    if (!this.#options.sources) return Promise.resolve([]);
    return step === 'sources' ? this.#sourcePages(nowMs, room) : this.#proof(nowMs, room);
  }

  async #sourcePages(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    const planned: PlannedPage[] = [];
    for await (const visit of this.#visits(nowMs)) {
      if (visit.isSource && visit.state === 'page' && planned.length < room) planned.push(visit);
    }
    return planned;
  }

  /** Of hosts whose sources are not known well enough: what they say has changed, and a sample of what they say has not. */
  async #proof(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    const sources = await this.#sources();
    const silent = new Map<number, EvenSample<number>>();
    const planned: PlannedPage[] = [];
    for await (const visit of this.#visits(nowMs)) {
      const { id, hostId } = visit;
      if (visit.claimedMs === 0 || visit.isSource || isProven(sources.get(hostId))) continue;
      if (isClaimed(visit)) planned.push({ id, hostId });
      else sampleOf(silent, hostId).offer(id);
    }
    for (const [hostId, { items }] of silent) for (const id of items) planned.push({ id, hostId });
    return planned.slice(0, room);
  }

  async #bestOfAll(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    await this.load(nowMs);
    const planned: PlannedPage[] = [];
    for (const { id, host } of this.#best(nowMs, room)) planned.push({ id, hostId: host });
    return planned;
  }

  /** For a look at the plan without carrying it out. */
  async preview(nowMs: number): Promise<ReturnType<Schedule['plan']>> {
    await this.load(nowMs);
    const { budget } = this.#options;
    return this.#best(nowMs, budget === 0 ? Number.POSITIVE_INFINITY : budget);
  }

  #best(nowMs: number, room: number): ReturnType<Schedule['plan']> {
    const { hostBudget, due, watch, minInterval, maxInterval } = this.#options;
    return this.#schedule.plan({
      nowMs,
      budget: room,
      hostBudget: hostBudget === 0 ? Number.POSITIVE_INFINITY : hostBudget,
      dueShare: due ?? (watch ? WATCH_DUE : 0),
      policy: this.#policy,
      minIntervalMs: minInterval,
      maxIntervalMs: maxInterval,
    });
  }

  /** Everything the schedule has to know, from the store. */
  async load(nowMs: number): Promise<void> {
    const sources = this.#options.sources ? await this.#sources() : new Map<number, SourceRecord>();
    const schedule = new Schedule();
    await this.#weights.open();
    for await (const batch of this.#batches(nowMs)) {
      const weights = await this.#weights.of(batch);
      for (const [i, visit] of batch.entries()) {
        const { id, hostId, pattern, claimedMs } = visit;
        const believed = claimedMs > 0 && isBelieved(sources.get(hostId)) ? sources.get(hostId)! : null;
        if (believed && !this.#isWorthALook(visit, nowMs)) continue;
        schedule.add({
          ...visit,
          host: hostId,
          pattern,
          weight: weights[i]!,
          missShare: believed ? missShare(believed) : 1,
        });
        if (this.#options.sources && isClaimed(visit)) schedule.claim(id, Number.POSITIVE_INFINITY);
      }
    }
    schedule.learnPriors();
    this.#schedule = schedule;
  }

  #isWorthALook(visit: VisitRecord, nowMs: number): boolean {
    return (
      isClaimed(visit) ||
      visit.checkedAtMs < this.#rereadBeforeMs ||
      nowMs - visit.checkedAtMs >= this.#options.maxInterval ||
      (visit.id + visit.checks + this.#round) % AUDITED_OF === 0
    );
  }

  /** What results say of the pages' habits: what the store is to keep. */
  observe(results: readonly UrlResult[]): VisitUpdate[] {
    const updates: VisitUpdate[] = [];
    for (const { id, revisit } of results) {
      if (!revisit || revisit.finding === 'failing' || revisit.finding === 'missing') continue;
      const { finding, checkedAtMs } = revisit;
      const hasChanged = finding !== 'same' && finding !== 'noise';
      updates.push({ id, ...this.#schedule.observe(id, checkedAtMs, hasChanged) });
    }
    return updates;
  }

  /** Pages that may be looked at now. A URL without a page is tried only after the longest interval. */
  async *#batches(nowMs: number): AsyncGenerator<readonly VisitRecord[]> {
    const { minInterval, maxInterval } = this.#options;
    for (let after = 0; ; ) {
      const batch = await this.#store.visits(after, READ_AT_ONCE);
      if (batch.length === 0) return;
      after = batch.at(-1)!.id;
      yield await this.#filter.wanted(
        batch.filter(
          ({ state, checkedAtMs, notBeforeMs }) =>
            notBeforeMs <= nowMs &&
            (checkedAtMs > nowMs || nowMs - checkedAtMs >= (state === 'none' ? maxInterval : minInterval)),
        ),
      );
    }
  }

  async *#visits(nowMs: number): AsyncGenerator<VisitRecord> {
    for await (const batch of this.#batches(nowMs)) yield* batch;
  }

  async #sources(): Promise<Map<number, SourceRecord>> {
    return new Map((await this.#store.sources()).map((source) => [source.hostId, source]));
  }
}

/** Whether a source says that a page has changed since it was looked at. */
function isClaimed({ claimedMs, claimSeenMs, checkedAtMs }: VisitRecord): boolean {
  return claimedMs > (claimSeenMs > 0 ? claimSeenMs : checkedAtMs);
}

function isProven(source: SourceRecord | undefined): boolean {
  return source !== undefined && source.missed + source.quiet >= PROVEN_BY;
}

function isBelieved(source: SourceRecord | undefined): boolean {
  return isProven(source) && source!.missed <= MOST_MISSED * (source!.missed + source!.quiet);
}

/** The share of changes it does not tell of, rather too large than too small. */
function missShare({ missed, confirmed }: SourceRecord): number {
  return (missed + 1) / (missed + confirmed + 2);
}

function sampleOf(samples: Map<number, EvenSample<number>>, hostId: number): EvenSample<number> {
  const known = samples.get(hostId);
  if (known !== undefined) return known;
  const sample = new EvenSample<number>(SAMPLE);
  samples.set(hostId, sample);
  return sample;
}
