/**
 * Learns which query parameters never change the content. In: the pages of a commit. Out: lessons, which the receipt
 * passes to the controller. The code runs inside the commit's transaction, which has locked the hosts, so commits
 * change the parameters of a host one after another. The rules are in store/rules/parameter-rules.ts.
 *
 * What always holds:
 * - Only identical content is evidence. Pages that differ in one byte are different, even if the byte only repeats the
 *   parameter.
 * - A parameter is ignored only after pages without it were also the same: the stand-in is known to work.
 * - One pair of different pages decides for good that a parameter matters. If it was ignored until then, all URLs that
 *   were skipped because of it wait again.
 *
 * The partner for SQLite is store/sqlite/learning/parameters.ts; the
 * shared contract test is test/store/contract/parameters/parameters.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { hostOf } from '../../../url/host.ts';
import { parameterNames, parameterSpace, withoutParameters } from '../../../url/query-parameters.ts';
import type {
  CommitBatch,
  CommitReceipt,
  ParameterLesson,
  ParameterVerdict,
  UrlResult,
  UrlState,
} from '../../contract.ts';
import { isWithoutPage } from '../../rules/left-out.ts';
import {
  baseKey,
  type Contradiction,
  clearer,
  comparisonOf,
  contradictionOf,
  type Evidence,
  type FetchedPage,
  fetchedPage,
  ignoredOf,
  isOpen,
  isTold,
  isWhole,
  mayBeVariant,
  PageGroups,
  verdictOn,
} from '../../rules/parameter-rules.ts';
import type { WorkingSet } from '../rows/working-set.ts';
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
import { VariantPages } from './variant-pages.ts';

/** The values by which a page is compared. */
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
  readonly #variants: VariantPages;
  /** Whether a lesson began or ended since the last review. */
  #isShaken = false;
  #lessons: ParameterLesson[] = [];
  #released = new Map<string, number>();

  constructor(set: WorkingSet) {
    this.#set = set;
    this.#records = new ParameterRecords(set);
    this.#evidence = new ParameterEvidence(set);
    this.#standIns = new StandIns(set);
    this.#variants = new VariantPages(set);
  }

  /**
   * Reads everything that the results of a commit may need. Hosts that several
   * workers share are not locked yet, so they are locked here.
   */
  async prepare({ results, learnParameters }: CommitBatch, sharedHosts: readonly number[]): Promise<void> {
    const wanted = learnParameters ? results : results.filter(({ reason }) => reason === 'ignored-parameter');
    const shared = new Set(sharedHosts);
    await lockShared(
      this.#set,
      wanted.filter(({ hostId }) => shared.has(hostId)),
    );
    const [records, evidence, standIns, variants] = [this.#records, this.#evidence, this.#standIns, this.#variants];
    await readForLearning(this.#set, { records, evidence, standIns, variants }, wanted);
  }

  /** Learns from a result that counts, before its page is written. */
  async observe(result: UrlResult, state: UrlState, reason: Reason | null): Promise<void> {
    const { hostId, url, page } = result;
    const space = parameterSpace(url);
    if (space === null) return;
    const records = this.#records.in(hostId, space);
    if (page === null) {
      if (isWithoutPage(state, reason)) await this.#missPage(result, space);
    } else if (isWhole(result, page) && isOpen(url, records)) {
      // A page that is fetched again may have changed since the other pages were fetched, so it is not compared.
      if (this.#set.pages.get(result.id) === null) await this.#learnFrom(result, space);
    }
    if (this.#isShaken) await this.#review(result, space);
  }

  /**
   * Called when a unit wants to leave a URL out because of a stand-in. Returns false if the URL must wait: the lesson
   * has been undone meanwhile, or the stand-in has no page and this URL is fetched as a check.
   */
  async mayLeaveOut({ id, hostId, url, standIn: instead }: UrlResult, standIn: number | null): Promise<boolean> {
    const space = parameterSpace(url);
    const records: SpaceRecords = space === null ? new Map() : this.#records.in(hostId, space);
    if (ignoredOf(url, records).size === 0) {
      // The unit used an old lesson. It gets the new one; otherwise it would leave the URL out again and again.
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

  /** Writes the lessons and the evidence, after all results. */
  async write(): Promise<void> {
    await Promise.all([this.#records.write(), this.#evidence.write(), this.#variants.write()]);
  }

  /** Returns the news of this commit, and clears them. */
  takeNews(): Pick<CommitReceipt, 'lessons' | 'released'> {
    const news = { lessons: this.#lessons, released: this.#released };
    this.#lessons = [];
    this.#released = new Map();
    return news;
  }

  async #learnFrom(result: UrlResult, space: string): Promise<void> {
    const { hostId, url } = result;
    const records = this.#records.in(hostId, space);
    const place = { hostId, host: hostOf(url), space };
    const { ignored, reduced, undecided, essence } = comparisonOf(url, records);
    const fetched = fetchedPage(result);
    const compared = { result, essence, digest: fetched.digest! };

    // If several ignored parameters are present, it is unknown which one
    // matters. All of them are taken to matter, and no others.
    const refuted: ParameterRecord[] = [];
    for (const name of ignored) {
      const record = records.get(name)!;
      if (await this.#differs(compared, record, reduced)) refuted.push(record);
    }
    // A page without ignored parameters is the stand-in for URLs with one more parameter.
    if (ignored.size === 0) refuted.push(...(await this.#refutedBy(compared, records)));
    for (const name of await this.#contradictedBy(hostId, fetched, space)) {
      if (!refuted.includes(records.get(name)!)) refuted.push(records.get(name)!);
    }
    for (const record of refuted) await this.#matters(result, record);
    if (mayBeVariant(url, records)) {
      this.#variants.add({ hostId, space, reduced: comparisonOf(url, records).reduced }, fetched);
    }
    // The essence has changed, and earlier pages were compared by
    // the old one. So this page is not compared any further.
    if (refuted.length > 0) return;
    for (const name of undecided) {
      const record = records.get(name) ?? this.#open(place, name);
      const base = withoutParameters(reduced, new Set([name]));
      if (record === null || !(await this.#differs(compared, record, base))) continue;
      await this.#matters(result, record);
      return;
    }
  }

  /** The ignored parameters that a page contradicts, together with an earlier page. */
  async #contradictedBy(hostId: number, page: FetchedPage, space: string): Promise<readonly string[]> {
    const records = this.#records.in(hostId, space);
    if (!records.values().some(({ verdict }) => verdict === 'ignored')) return [];
    let found: Contradiction | null = null;
    const { reduced } = comparisonOf(page.url, records);
    for (const other of await this.#variants.under({ hostId, space, reduced })) {
      found = clearer(found, contradictionOf(page, other, records));
    }
    return found?.names ?? [];
  }

  /**
   * Called when the set of ignored parameters has changed. Pages that were fetched before may contradict the lessons
   * that hold now; each contradiction ends at least one lesson.
   */
  async #review(result: UrlResult, space: string): Promise<void> {
    const { hostId } = result;
    const records = this.#records.in(hostId, space);
    for (;;) {
      const groups = new PageGroups(records);
      // Its page is not written yet, and it may stand for others.
      if (result.page !== null) groups.add(fetchedPage(result));
      for await (const pages of this.#variants.all(hostId, space)) {
        const bares = pages.map((page) => groups.add(page)).filter((reduced) => reduced !== null);
        await this.#standIns.load(bares.map((url) => ({ hostId, url })));
        for (const url of bares) {
          const bare = await this.#standIns.of(hostId, url);
          if (bare === null || (bare.digest === null && !bare.isWithoutPage)) continue;
          groups.add({ id: bare.id, url, digest: bare.digest });
        }
      }
      const { contradiction } = groups;
      if (contradiction === null) {
        await this.#variants.regroup(hostId, space, (url) => groups.reducedOf(url));
        this.#isShaken = false;
        return;
      }
      const { page, names } = contradiction;
      for (const name of names) await this.#matters({ ...page, hostId }, records.get(name)!);
    }
  }

  #open(place: Space, name: string): ParameterRecord | null {
    const record = this.#records.open(place, name);
    if (record !== null) this.#evidence.begin(record);
    return record;
  }

  /** Compares a page with pages of the same base, and counts equal ones. */
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

  /** The parameters that a page without them shows to matter. */
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
      // The spot check ends when the stand-in has been compared, too. Until then it goes on.
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

  async #matters(result: Pick<UrlResult, 'id' | 'hostId' | 'url'>, record: ParameterRecord): Promise<void> {
    const { hostId, url } = result;
    const wasIgnored = record.verdict === 'ignored';
    this.#evidence.drop(record);
    this.#judge(record, 'matters', null, result);
    if (wasIgnored) this.#release(url, await this.#standIns.release(hostId, record.space, record.name));
    // The parameter now belongs to the essence of URLs. Evidence about other
    // parameters is judged by the essence, so it begins again.
    for (const other of this.#records.in(hostId, record.space).values()) {
      if (other.verdict !== 'open' && other.verdict !== 'probed') continue;
      this.#evidence.drop(other);
      this.#judge(other, 'open', null, result);
    }
  }

  /** A URL without a page cannot be the stand-in of a URL with a page. */
  async #missPage(result: UrlResult, space: string): Promise<void> {
    const records = this.#records.in(result.hostId, space);
    const names = parameterNames(result.url);
    const base = baseKey(result.url);
    for (const record of records.values()) {
      if (record.verdict === 'matters' || names.includes(record.name)) continue;
      if ((await this.#evidence.digestOf(record, base)) !== null) await this.#matters(result, record);
    }
    for (const name of await this.#contradictedBy(result.hostId, fetchedPage(result), space)) {
      await this.#matters(result, records.get(name)!);
    }
    const doubted = await this.#standIns.doubt(result.hostId, result.id);
    if (doubted > 0) this.#release(result.url, doubted);
  }

  #judge(
    record: ParameterRecord,
    verdict: ParameterVerdict,
    evidence: Evidence | null,
    by: Pick<UrlResult, 'id' | 'url'> | null,
  ): void {
    const before = record.verdict;
    if (before === verdict) return;
    if (before === 'ignored' || verdict === 'ignored') this.#isShaken = true;
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
