/**
 * Learns which query parameters never change the content. In: the pages of a commit. Out: lessons, which the controller
 * gets with the receipt. Runs inside the commit's transaction.
 *
 * What always holds:
 * - Only identical content is evidence. Pages that differ in one byte differ, even if
 *   the byte only repeats the parameter.
 * - A parameter becomes ignored after `MIN_PAIRS` pairs of equal pages and no pair that differs, and after `MIN_PAGES`
 *   different pages were also the same without the parameter: the stand-in is known to work.
 * - One pair that differs is enough: the parameter matters, and this is final. If it was ignored before, all URLs that
 *   were skipped because of it wait again.
 *
 * The partner for PostgreSQL is store/postgres/learning/parameters.ts;
 * the shared contract test is test/store/contract/parameters/parameters.ts.
 */
import type { Reason } from '../../../core/reasons.ts';
import { hostOf } from '../../../url/host.ts';
import { urlKey } from '../../../url/key.ts';
import { parameterNames, parameterSpace, withoutParameters } from '../../../url/query-parameters.ts';
import type { CommitReceipt, ParameterLesson, ParameterVerdict, UrlResult, UrlState } from '../../contract.ts';
import { countReleased, isWithoutPage } from '../../rules/left-out.ts';
import {
  BASE_KEY_BYTES,
  baseKey,
  type Contradiction,
  clearer,
  comparisonOf,
  contradictionOf,
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
import type { Tally } from '../../rules/tally.ts';
import { TableAccess } from '../table-access.ts';
import { ParameterEvidence, type Sample } from './parameter-evidence.ts';
import { type ParameterRecord, ParameterRecords, type SpaceRecords } from './parameter-records.ts';
import { type StandIn, StandIns } from './stand-ins.ts';
import { VariantPages } from './variant-pages.ts';

export class ParameterLearner extends TableAccess {
  #lessons: ParameterLesson[] = [];
  #released = new Map<string, number>();
  readonly #records = new ParameterRecords(this.db);
  readonly #evidence = new ParameterEvidence(this.db);
  readonly #standIns = new StandIns(this.db);
  readonly #variants = new VariantPages(this.db);
  /** Whether a lesson began or ended since the last review. */
  #isShaken = false;
  readonly #wasFetched = this.db.prepare('SELECT 1 FROM pages WHERE url_id = ?');

  /** Called with a result that counts, before its page is written. */
  observe(result: UrlResult, state: UrlState, reason: Reason | null, tally: Tally): void {
    const { hostId, url, page } = result;
    if (!url.includes('?') && this.#records.hasNone(hostId)) return;
    const space = parameterSpace(url);
    if (space === null) return;
    if (page === null) {
      if (isWithoutPage(state, reason)) this.#missPage(result, space, tally);
    } else if (isWhole(result, page) && isOpen(url, this.#records.in(hostId, space))) {
      // A page that is fetched again may have changed since the pages that it would be compared with.
      if (this.#wasFetched.get(result.id) === undefined) this.#learnFrom(result, space, tally);
    }
    if (this.#isShaken) this.#review(result, space, tally);
  }

  /**
   * Called when a unit wants to skip a URL because of its stand-in. Returns false if the URL must wait: the lesson was
   * refuted meanwhile, or the stand-in has no page and this URL is fetched as a test.
   */
  mayLeaveOut({ id, hostId, url }: UrlResult, standIn: number | null): boolean {
    const records = this.#records.in(hostId, parameterSpace(url) ?? '');
    if (ignoredOf(url, records).size === 0) {
      // The unit used an old lesson. It gets the current one, because otherwise it would skip the URL again every time.
      const names = parameterNames(url).filter((name) => records.has(name));
      this.#lessons.push(...names.map((name) => this.#records.lesson(records.get(name)!)));
      return false;
    }
    const found = standIn === null ? null : this.#standIns.withId(standIn);
    if (found === null) return false;
    const isFit = this.#standIns.isFit(hostId, found);
    this.#standIns.set(id, found.id);
    if (!isFit) this.#release(url, 0);
    return isFit;
  }

  /** Returns the stand-in of a newly found URL that need not be fetched; null if the URL must wait like any other. */
  standInOf(hostId: number, url: string): (StandIn & { readonly isFit: boolean }) | null {
    const space = parameterSpace(url);
    if (space === null) return null;
    const ignored = ignoredOf(url, this.#records.in(hostId, space));
    if (ignored.size === 0) return null;
    const found = this.#standIns.withKey(hostId, urlKey(withoutParameters(url, ignored)));
    return found && { ...found, isFit: this.#standIns.isFit(hostId, found) };
  }

  /** Returns the news of the commit, once. */
  takeNews(): Pick<CommitReceipt, 'lessons' | 'released'> {
    const news = { lessons: this.#lessons, released: this.#released };
    this.#lessons = [];
    this.#released = new Map();
    return news;
  }

  lessons(verdicts: readonly ParameterVerdict[], host: string | null): ParameterLesson[] {
    return this.#records.lessons(verdicts, host);
  }

  /** Deletes all lessons and evidence. Returns the number of URLs that wait again. */
  dropAll(tally: Tally): number {
    if (this.#records.isEmpty) return 0;
    const rows = this.db
      .prepare(
        `UPDATE urls INDEXED BY urls_stand_in SET state = 0, reason = NULL, stand_in = NULL
         WHERE stand_in IS NOT NULL AND reason = 'ignored-parameter' RETURNING host_id`,
      )
      .all() as { host_id: number }[];
    for (const { host_id } of rows) countReleased(host_id, 'ignored-parameter', tally);
    this.db.exec('DELETE FROM parameters; DELETE FROM parameter_bases; DELETE FROM variant_pages;');
    this.forget();
    return rows.length;
  }

  /** Called after a rollback. */
  forget(): void {
    this.#records.forget();
    this.#evidence.forget();
    this.#isShaken = false;
    this.takeNews();
  }

  #learnFrom(result: UrlResult, space: string, tally: Tally): void {
    const { hostId, url } = result;
    const records = this.#records.in(hostId, space);
    const comparison = comparisonOf(url, records);
    const { ignored, reduced, undecided } = comparison;
    const essence = Buffer.from(comparison.essence, 'hex');
    const fetched = fetchedPage(result);
    const digest = Buffer.from(fetched.digest!, 'hex');
    const blame = (record: ParameterRecord): void => this.#matters(result, record, tally);

    // The cause cannot be attributed to one of several ignored parameters, so all of them are refuted, but no others.
    const audited = [...ignored].map((name) => records.get(name)!);
    const refuted = audited.filter((record) => this.#differs(hostId, record, reduced, essence, digest));
    // A URL without ignored parameters is the stand-in of the URLs that have one more parameter.
    if (ignored.size === 0) refuted.push(...this.#refutedBy(url, digest, records));
    for (const name of this.#contradictedBy(hostId, fetched, space, records)) {
      if (!refuted.includes(records.get(name)!)) refuted.push(records.get(name)!);
    }
    refuted.forEach(blame);
    if (mayBeVariant(url, records)) this.#variants.add(hostId, space, fetched, comparisonOf(url, records).reduced);
    // The essence has changed, so earlier comparisons no longer apply.
    if (refuted.length > 0) return;
    for (const name of undecided) {
      const record = records.get(name) ?? this.#records.open(hostId, space, name);
      const base = withoutParameters(reduced, new Set([name]));
      if (record === null || !this.#differs(hostId, record, base, essence, digest)) continue;
      blame(record);
      return;
    }
  }

  /** The ignored parameters that a page contradicts, together with an earlier page. */
  #contradictedBy(hostId: number, page: FetchedPage, space: string, records: SpaceRecords): readonly string[] {
    if (!records.values().some(({ verdict }) => verdict === 'ignored')) return [];
    let found: Contradiction | null = null;
    for (const other of this.#variants.under(hostId, space, comparisonOf(page.url, records).reduced)) {
      found = clearer(found, contradictionOf(page, other, records));
    }
    return found?.names ?? [];
  }

  /**
   * Called when the set of ignored parameters has changed. Pages that were fetched before may contradict the lessons
   * that hold now; each contradiction ends at least one lesson.
   */
  #review(result: UrlResult, space: string, tally: Tally): void {
    const { hostId } = result;
    const records = this.#records.in(hostId, space);
    for (;;) {
      const groups = new PageGroups(records);
      // Its page is not written yet, and it may stand for others.
      if (result.page !== null) groups.add(fetchedPage(result));
      for (const page of this.#variants.all(hostId, space)) {
        const reduced = groups.add(page);
        const bare = reduced === null ? null : this.#standIns.withKey(hostId, urlKey(reduced));
        if (bare === null || (bare.digest === null && !bare.isWithoutPage)) continue;
        groups.add({ id: bare.id, url: reduced!, digest: bare.digest?.toString('hex') ?? null });
      }
      const { contradiction } = groups;
      if (contradiction === null) {
        this.#variants.regroup(hostId, space, (url) => groups.reducedOf(url));
        this.#isShaken = false;
        return;
      }
      const { page, names } = contradiction;
      for (const name of names) this.#matters({ ...page, hostId }, records.get(name)!, tally);
    }
  }

  /** Compares a page with the pages of the same base, and counts equal ones. */
  #differs(hostId: number, record: ParameterRecord, base: string, essence: Buffer, digest: Buffer): boolean {
    const key = urlKey(base);
    const sample: Sample = { base: key.subarray(0, BASE_KEY_BYTES), essence, digest };
    const known = this.#evidence.digestOf(record.id, sample.base);
    const bare = this.#standIns.withKey(hostId, key);
    const bareDigest = bare?.digest ?? null;
    if (bare?.isWithoutPage) return true;
    if ([known, bareDigest].some((other) => other !== null && !other.equals(digest))) return true;
    if (known === null) this.#evidence.add(record.id, sample);
    if (known !== null || bareDigest !== null) this.#agree(record, sample.base, bareDigest !== null);
    return false;
  }

  /** Returns the parameters that matter according to the page of a URL without them. */
  #refutedBy(url: string, digest: Buffer, records: SpaceRecords): ParameterRecord[] {
    const names = parameterNames(url);
    const base = Buffer.from(baseKey(url), 'hex');
    return [...records.values()].filter((record) => {
      if (record.verdict === 'matters' || names.includes(record.name)) return false;
      const known = this.#evidence.digestOf(record.id, base);
      if (known?.equals(digest)) this.#agree(record, base, true);
      return known !== null && !known.equals(digest);
    });
  }

  #agree(record: ParameterRecord, base: Buffer, isBare: boolean): void {
    if (record.verdict === 'ignored') {
      // A spot check is complete only when the page of the stand-in is known too.
      if (!isBare) return;
      this.#records.countAudit(record);
      this.#evidence.dropBase(record.id, base);
      return;
    }
    this.#evidence.agree(record.id, base, isBare);
    const evidence = this.#evidence.weigh(record.id);
    const verdict = verdictOn(evidence);
    if (verdict === null) return;
    if (verdict === 'ignored') this.#evidence.drop(record.id);
    this.#judge(record, verdict, evidence, null);
  }

  #matters({ id, hostId, url }: Pick<UrlResult, 'id' | 'hostId' | 'url'>, record: ParameterRecord, tally: Tally): void {
    const wasIgnored = record.verdict === 'ignored';
    this.#evidence.drop(record.id);
    this.#judge(record, 'matters', null, wasIgnored ? id : null);
    if (wasIgnored) this.#release(url, this.#standIns.release(hostId, record.space, record.name, tally));
    // The parameter is now part of the essence, which decides the evidence about
    // the other parameters: they start again.
    for (const other of this.#records.in(hostId, record.space).values()) {
      if (other.verdict !== 'open' && other.verdict !== 'probed') continue;
      this.#evidence.drop(other.id);
      this.#judge(other, 'open', null, null);
    }
  }

  /** Called for a URL without a page: it cannot stand for URLs that have one. */
  #missPage(result: UrlResult, space: string, tally: Tally): void {
    const records = this.#records.in(result.hostId, space);
    const names = parameterNames(result.url);
    const base = Buffer.from(baseKey(result.url), 'hex');
    for (const record of records.values()) {
      if (record.verdict === 'matters' || names.includes(record.name)) continue;
      if (this.#evidence.digestOf(record.id, base) !== null) this.#matters(result, record, tally);
    }
    for (const name of this.#contradictedBy(result.hostId, fetchedPage(result), space, records)) {
      this.#matters(result, records.get(name)!, tally);
    }
    const doubted = this.#standIns.doubt(result.hostId, result.id, tally);
    if (doubted > 0) this.#release(result.url, doubted);
  }

  #judge(
    record: ParameterRecord,
    verdict: ParameterVerdict,
    evidence: { readonly pairs: number; readonly pages: number } | null,
    contradictedBy: number | null,
  ): void {
    const before = record.verdict;
    if (before === verdict) return;
    if (before === 'ignored' || verdict === 'ignored') this.#isShaken = true;
    this.#records.judge(record, verdict, evidence, contradictedBy);
    if (isTold(before, verdict)) this.#lessons.push(this.#records.lesson(record));
  }

  #release(url: string, count: number): void {
    const host = hostOf(url);
    this.#released.set(host, (this.#released.get(host) ?? 0) + count);
  }
}
