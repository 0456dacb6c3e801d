/**
 * New URLs that a unit wants to leave out because stand-ins exist for them. This is checked again while their hosts are
 * locked: a lesson may have been undone since the unit judged the link, and undoing a lesson also locks the host.
 *
 * The partner for SQLite is store/sqlite/learning/parameters.ts; the
 * shared contract test is test/store/contract/parameters/stand-ins.ts.
 */
import { hostOf } from '../../../url/host.ts';
import { parameterSpace, withoutParameters } from '../../../url/query-parameters.ts';
import { ignoredOf } from '../../rules/parameter-rules.ts';
import type { Session } from '../connection/database.ts';
import { ParameterRecords } from '../learning/parameter-records.ts';
import { StandIns } from '../learning/stand-ins.ts';
import { lockHosts } from '../leases/lock-hosts.ts';
import { WorkingSet } from '../rows/working-set.ts';
import type { NewUrl } from './new-urls.ts';

/** Returns each URL with its stand-in. A URL without a suitable stand-in waits like any other. */
export async function withStandIns(session: Session, schema: string, urls: readonly NewUrl[]): Promise<NewUrl[]> {
  const hostIds = urls.map(({ place }) => place.hostId);
  await lockHosts(session, schema, hostIds);
  const set = new WorkingSet(session, schema);
  const records = new ParameterRecords(set);
  const placed = urls.map((url) => ({
    url,
    hostId: url.place.hostId,
    host: hostOf(url.found.url),
    space: parameterSpace(url.found.url),
  }));
  await records.load(placed.filter((each): each is typeof each & { space: string } => each.space !== null));
  const instead = placed.map(({ url, hostId, space }) => {
    const ignored = space === null ? null : ignoredOf(url.found.url, records.in(hostId, space));
    return ignored === null || ignored.size === 0 ? null : withoutParameters(url.found.url, ignored);
  });
  const standIns = new StandIns(set);
  await standIns.load(placed.flatMap(({ hostId }, i) => (instead[i] == null ? [] : [{ hostId, url: instead[i] }])));
  const fit = new Set<number>();
  const judged: NewUrl[] = [];
  for (const [i, { url, hostId }] of placed.entries()) {
    const stand = instead[i] == null ? null : await standIns.of(hostId, instead[i]);
    // If a stand-in has no page, the first URL that it stands for is fetched as a check; later ones need not be.
    const isFit = stand !== null && (fit.has(stand.id) || (await standIns.isFit(hostId, stand)));
    if (stand !== null) fit.add(stand.id);
    judged.push({ ...url, found: isFit ? url.found : { ...url.found, skip: null }, standIn: stand?.id ?? null });
  }
  return judged;
}
