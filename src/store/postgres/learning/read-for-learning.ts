/** Reads, in a few statements, what a commit needs to learn about parameters from its results (parameters.ts). */
import { hostOf } from '../../../url/host.ts';
import { parameterNames, parameterSpace, withoutParameters } from '../../../url/query-parameters.ts';
import type { UrlResult } from '../../contract.ts';
import { baseKey, comparisonOf, isOpen, isWhole } from '../../rules/parameter-rules.ts';
import { numbers } from '../connection/arrays.ts';
import { lockHosts } from '../leases/lock-hosts.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { ParameterEvidence } from './parameter-evidence.ts';
import type { ParameterRecord, ParameterRecords, SpaceRecords } from './parameter-records.ts';
import type { HostUrl, StandIns } from './stand-ins.ts';
import type { VariantGroup, VariantPages } from './variant-pages.ts';

export interface LearningParts {
  readonly records: ParameterRecords;
  readonly evidence: ParameterEvidence;
  readonly standIns: StandIns;
  readonly variants: VariantPages;
}

export async function readForLearning(
  set: WorkingSet,
  { records, evidence, standIns, variants }: LearningParts,
  results: readonly UrlResult[],
): Promise<void> {
  const placed = results.flatMap((result) => {
    const space = parameterSpace(result.url);
    return space === null ? [] : [{ result, hostId: result.hostId, host: hostOf(result.url), space }];
  });
  await records.load(placed);
  const needs = new Needs();
  for (const { result, hostId, space } of placed) needs.expect(result, space, records.in(hostId, space));
  for (const { result, hostId, space } of placed) needs.add(result, space, records.in(hostId, space));
  const learning = needs.learning.map(({ id }) => id);
  await Promise.all([
    records.prepareToOpen(needs.unknownCounts()),
    evidence.load(
      [...needs.named],
      [...needs.others].filter((other) => !needs.named.has(other)),
      needs.bases,
    ),
    standIns.load(needs.urls),
    variants.load(needs.groups),
    standIns.loadStanding(needs.missing),
    set.pages.load(learning, 'free'),
  ]);
}

/** Locks the hosts of these results, if they have parameters at all. Most hosts have none. */
export async function lockShared(set: WorkingSet, results: readonly UrlResult[]): Promise<void> {
  if (results.length === 0) return;
  const { schema, session } = set;
  const queried = results.filter(({ url }) => url.includes('?')).map(({ hostId }) => hostId);
  const rows = await session.all(
    `SELECT DISTINCT host_id FROM ${schema}.parameters WHERE host_id = ANY($1::bigint[])`,
    [numbers(new Set(results.map(({ hostId }) => hostId)))],
  );
  const hostIds = [...queried, ...rows.map(({ host_id }) => host_id)];
  if (hostIds.length > 0) await lockHosts(session, schema, hostIds);
}

class Needs {
  /** Results from which something may be learned. */
  readonly learning: UrlResult[] = [];
  /** Results without a page, which may be stand-ins. */
  readonly missing: UrlResult[] = [];
  /** `named`: undecided parameters that occur in the URLs. `others`: all undecided parameters of the same spaces. */
  readonly named = new Set<ParameterRecord>();
  readonly others = new Set<ParameterRecord>();
  readonly bases = new Set<string>();
  readonly urls: HostUrl[] = [];
  /** Groups of earlier pages that the results are compared with. */
  readonly groups: VariantGroup[] = [];
  readonly #unknown = new Map<number, Set<string>>();
  /** Spaces that get new parameters. */
  readonly #opening = new Set<string>();

  /** Notes parameters that occur for the first time in this result. */
  expect(result: UrlResult, space: string, held: SpaceRecords): void {
    const { hostId, url, page } = result;
    if (page === null || result.revisit !== undefined || !isWhole(result, page)) return;
    for (const name of parameterNames(url)) {
      if (held.has(name)) continue;
      const names = this.#unknown.get(hostId) ?? new Set();
      this.#unknown.set(hostId, names.add(`${space} ${name}`));
      this.#opening.add(`${hostId} ${space}`);
    }
  }

  /**
   * Must be called after `expect` for all results: a page without parameters is
   * compared with pages of the same batch that have some.
   */
  add(result: UrlResult, space: string, held: SpaceRecords): void {
    const { hostId, url, page, standIn } = result;
    if (standIn !== null) this.urls.push({ hostId, url: standIn.url });
    if (held.values().some(({ verdict }) => verdict === 'ignored')) {
      this.groups.push({ hostId, space, reduced: comparisonOf(url, held).reduced });
    }
    if (page === null || result.revisit !== undefined) this.#miss(result, held);
    else if (isWhole(result, page) && (isOpen(url, held) || this.#opening.has(`${hostId} ${space}`))) {
      this.#learn(result, held);
    }
  }

  /** How many parameters of each host are new. */
  unknownCounts(): ReadonlyMap<number, number> {
    return new Map([...this.#unknown].map(([hostId, names]) => [hostId, names.size]));
  }

  #miss(result: UrlResult, held: SpaceRecords): void {
    const open = [...held.values()].filter(({ verdict }) => verdict !== 'matters');
    if (open.length === 0) return;
    this.#compareWith(open, result.url);
    // Without an ignored parameter there are no stand-ins.
    if (open.some(({ verdict }) => verdict === 'ignored')) this.missing.push(result);
  }

  #learn(result: UrlResult, held: SpaceRecords): void {
    const { hostId, url } = result;
    this.learning.push(result);
    for (const name of parameterNames(url)) {
      const record = held.get(name);
      if (record !== undefined && record.verdict !== 'matters') this.named.add(record);
    }
    const { ignored, reduced, undecided } = comparisonOf(url, held);
    if (ignored.size > 0) this.urls.push({ hostId, url: reduced });
    for (const name of undecided) this.urls.push({ hostId, url: withoutParameters(reduced, new Set([name])) });
    this.#compareWith(
      held.values().filter(({ verdict }) => verdict !== 'matters'),
      url,
    );
  }

  #compareWith(open: Iterable<ParameterRecord>, url: string): void {
    for (const record of open) this.others.add(record);
    this.bases.add(baseKey(url));
  }
}
