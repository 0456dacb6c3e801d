/**
 * Learning which query parameters never change the content. In: the pages of a commit. Out: lessons, which the receipt tells to
 * the controller. Runs inside the commit's transaction, which holds the hosts it is about: so what is held of a host's parameters
 * changes one commit after the other. By which rules: parameter-rules.ts.
 *
 * What always holds:
 * - Only identical content is evidence: pages that differ in one byte, even one that merely repeats the parameter, differ.
 * - A parameter is ignored only after pages were the same without it, too: the URL that stands for the others is known to work.
 * - One pair that differs is enough to say that it matters, for good. If it was ignored until then, all URLs that were
 *   skipped for it wait again.
 */
import type { Reason } from '../../core/reasons.ts';
import { hostOf } from '../../url/host.ts';
import { parameterNames, parameterSpace, withoutParameters } from '../../url/query-parameters.ts';
import type {
  CommitBatch,
  CommitReceipt,
  PageRecord,
  ParameterLesson,
  ParameterVerdict,
  UrlResult,
  UrlState,
} from '../contract.ts';
import { isWithoutPage } from '../left-out.ts';
import {
  baseKey,
  comparisonOf,
  DIGEST_BYTES,
  type Evidence,
  ignoredOf,
  isOpen,
  isTold,
  isWhole,
  verdictOn,
} from '../parameter-rules.ts';
import { ParameterEvidence } from './parameter-evidence.ts';
import {
  lessonOf,
  type ParameterRecord,
  ParameterRecords,
  type Space,
  type SpaceRecords,
} from './parameter-records.ts';
import { lockShared, readForLearning } from './read-for-learning.ts';
import { StandIns } from './stand-ins.ts';
import type { WorkingSet } from './working-set.ts';

/** What a page is compared by. */
interface Compared {
  readonly result: UrlResult;
  readonly essence: string;
  readonly digest: string;
}

export class ParameterLearner {
  readonly #set: WorkingSet;
  readonly #records: ParameterRecords;
  readonly #evidence: ParameterEvidence;
  readonly #standIns: StandIns;
  #lessons: ParameterLesson[] = [];
  #released = new Map<string, number>();

  constructor(set: WorkingSet) {
    this.#set = set;
    this.#records = new ParameterRecords(set);
    this.#evidence = new ParameterEvidence(set);
    this.#standIns = new StandIns(set);
  }

  /** Reads all that the results of a commit may need. Of hosts that several share none is held yet. */
  async prepare({ results, learnParameters }: CommitBatch, sharedHosts: readonly number[]): Promise<void> {
    const wanted = learnParameters ? results : results.filter(({ reason }) => reason === 'ignored-parameter');
    const shared = new Set(sharedHosts);
    await lockShared(
      this.#set,
      wanted.filter(({ hostId }) => shared.has(hostId)),
    );
    await readForLearning(this.#set, this.#records, this.#evidence, this.#standIns, wanted);
  }

  /** A result that counts, before its page is written. */
  async observe(result: UrlResult, state: UrlState, reason: Reason | null): Promise<void> {
    const { hostId, url, page } = result;
    const space = parameterSpace(url);
    if (space === null) return;
    const records = this.#records.in(hostId, space);
    if (page === null) {
      if (isWithoutPage(state, reason)) await this.#missPage(result, records);
    } else if (isWhole(result, page) && isOpen(url, records)) {
      // A page that is fetched again may have changed since those it would be compared with.
      if (this.#set.pages.get(result.id) === null) await this.#learnFrom(result, page, space);
    }
  }

  /**
   * A unit wants to leave a URL out for a stand-in. False where it has to wait: the lesson has been undone meanwhile, or the
   * stand-in has no page and this one is fetched to see.
   */
  async mayLeaveOut({ id, hostId, url, standIn: instead }: UrlResult, standIn: number | null): Promise<boolean> {
    const space = parameterSpace(url);
    const records: SpaceRecords = space === null ? new Map() : this.#records.in(hostId, space);
    if (ignoredOf(url, records).size === 0) {
      // Whoever goes by an old lesson is told, or would have the URL left out again at every turn.
      for (const name of parameterNames(url)) if (records.has(name)) this.#lessons.push(lessonOf(records.get(name)!));
      return false;
    }
    const found = standIn === null ? null : await this.#standIns.of(hostId, instead!.url);
    if (found === null) return false;
    const isFit = await this.#standIns.isFit(hostId, found);
    this.#standIns.set(id, found.id);
    if (!isFit) this.#release(url, 0);
    return isFit;
  }

  /** After all results: what was learned. */
  async write(): Promise<void> {
    await Promise.all([this.#records.write(), this.#evidence.write()]);
  }

  /** What the commit taught, once. */
  takeNews(): Pick<CommitReceipt, 'lessons' | 'released'> {
    const news = { lessons: this.#lessons, released: this.#released };
    this.#lessons = [];
    this.#released = new Map();
    return news;
  }

  async #learnFrom(result: UrlResult, page: PageRecord, space: string): Promise<void> {
    const { hostId, url } = result;
    const records = this.#records.in(hostId, space);
    const place = { hostId, host: hostOf(url), space };
    const { ignored, reduced, undecided, essence } = comparisonOf(url, records);
    const compared = { result, essence, digest: page.digest.slice(0, 2 * DIGEST_BYTES) };

    // Which of several ignored parameters is to blame cannot be told: all of them are, and others are not.
    const refuted: ParameterRecord[] = [];
    for (const name of ignored) {
      const record = records.get(name)!;
      if (await this.#differs(compared, record, reduced)) refuted.push(record);
    }
    // With no parameter that is ignored the page is the stand-in of those whose URLs have one more.
    if (ignored.size === 0) refuted.push(...(await this.#refutedBy(compared, records)));
    for (const record of refuted) await this.#matters(result, record);
    // What was compared so far was compared by another essence.
    if (refuted.length > 0) return;
    for (const name of undecided) {
      const record = records.get(name) ?? this.#open(place, name);
      const base = withoutParameters(reduced, new Set([name]));
      if (record === null || !(await this.#differs(compared, record, base))) continue;
      await this.#matters(result, record);
      return;
    }
  }

  #open(place: Space, name: string): ParameterRecord | null {
    const record = this.#records.open(place, name);
    if (record !== null) this.#evidence.begin(record);
    return record;
  }

  /** Compares a page with those that have the same base; equal ones are counted. */
  async #differs({ result, essence, digest }: Compared, record: ParameterRecord, baseUrl: string): Promise<boolean> {
    const base = baseKey(baseUrl);
    const known = await this.#evidence.digestOf(record, base);
    const bare = await this.#standIns.of(result.hostId, baseUrl);
    const bareDigest = bare?.digest ?? null;
    if (bare?.isWithoutPage) return true;
    if ([known, bareDigest].some((other) => other !== null && other !== digest)) return true;
    if (known === null) await this.#evidence.add(record, { base, essence, digest });
    if (known !== null || bareDigest !== null) await this.#agree(record, base, bareDigest !== null);
    return false;
  }

  /** The parameters that are shown to matter by the page of a URL without them. */
  async #refutedBy({ result: { url }, digest }: Compared, records: SpaceRecords): Promise<ParameterRecord[]> {
    const names = parameterNames(url);
    const base = baseKey(url);
    const refuted: ParameterRecord[] = [];
    for (const record of records.values()) {
      if (record.verdict === 'matters' || names.includes(record.name)) continue;
      const known = await this.#evidence.digestOf(record, base);
      if (known === digest) await this.#agree(record, base, true);
      else if (known !== null) refuted.push(record);
    }
    return refuted;
  }

  async #agree(record: ParameterRecord, base: string, isBare: boolean): Promise<void> {
    if (record.verdict === 'ignored') {
      // The audit is over; until the stand-in is there, too, it goes on.
      if (!isBare) return;
      this.#records.change(record, { audits: record.audits + 1 });
      this.#evidence.dropBase(record, base);
      return;
    }
    this.#evidence.agree(record, base, isBare);
    const evidence = await this.#evidence.weigh(record);
    const verdict = verdictOn(evidence);
    if (verdict === null) return;
    if (verdict === 'ignored') this.#evidence.drop(record);
    this.#judge(record, verdict, evidence, null);
  }

  async #matters(result: UrlResult, record: ParameterRecord): Promise<void> {
    const { hostId, url } = result;
    const wasIgnored = record.verdict === 'ignored';
    this.#evidence.drop(record);
    this.#judge(record, 'matters', null, result);
    if (wasIgnored) this.#release(url, await this.#standIns.release(hostId, record.space, record.name));
    // It is part of the essence of URLs now, by which the evidence about the others is weighed: they begin anew.
    for (const other of this.#records.in(hostId, record.space).values()) {
      if (other.verdict !== 'open' && other.verdict !== 'probed') continue;
      this.#evidence.drop(other);
      this.#judge(other, 'open', null, result);
    }
  }

  /** A URL has no page: it can stand for none that has one. */
  async #missPage(result: UrlResult, records: SpaceRecords): Promise<void> {
    const names = parameterNames(result.url);
    const base = baseKey(result.url);
    for (const record of records.values()) {
      if (record.verdict === 'matters' || names.includes(record.name)) continue;
      if ((await this.#evidence.digestOf(record, base)) !== null) await this.#matters(result, record);
    }
    const doubted = await this.#standIns.doubt(result.hostId, result.id);
    if (doubted > 0) this.#release(result.url, doubted);
  }

  #judge(record: ParameterRecord, verdict: ParameterVerdict, evidence: Evidence | null, by: UrlResult | null): void {
    const before = record.verdict;
    if (before === verdict) return;
    const counts = evidence === null ? {} : { pairs: evidence.pairs, pages: evidence.pages };
    const contradictedBy = before === 'ignored' && by !== null ? { id: by.id, url: by.url } : null;
    this.#records.change(record, { verdict, ...counts, contradictedBy });
    if (isTold(before, verdict)) this.#lessons.push(lessonOf(record));
  }

  #release(url: string, count: number): void {
    const host = hostOf(url);
    this.#released.set(host, (this.#released.get(host) ?? 0) + count);
  }
}
