/**
 * New URLs that a unit wants to leave out, because others stand for them. Whether that still holds is seen while their hosts are
 * held: a lesson may have been undone since the unit judged the link, and whoever undoes one holds the host, too.
 */
import { hostOf } from '../../url/host.ts';
import { parameterSpace, withoutParameters } from '../../url/query-parameters.ts';
import { ignoredOf } from '../parameter-rules.ts';
import { Tally } from '../tally.ts';
import type { Session } from './database.ts';
import { lockHosts } from './lock-hosts.ts';
import type { NewUrl } from './new-urls.ts';
import { ParameterRecords } from './parameter-records.ts';
import type { Parts } from './parts.ts';
import { StandIns } from './stand-ins.ts';
import { WorkingSet } from './working-set.ts';

/** Each with what stands for it; those that nothing fit stands for are to wait like any other. */
export async function withStandIns(
  session: Session,
  schema: string,
  parts: Parts,
  urls: readonly NewUrl[],
): Promise<NewUrl[]> {
  for (const [part, some] of parts.group(urls, ({ place }) => parts.ofHost(place.hostId))) {
    await lockHosts(
      session,
      schema,
      part,
      some.map(({ place }) => place.hostId),
    );
  }
  const set = new WorkingSet(session, schema, parts, new Tally());
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
    // The first that waits because its stand-in has no page is fetched to see: what comes after it need not be.
    const isFit = stand !== null && (fit.has(stand.id) || (await standIns.isFit(hostId, stand)));
    if (stand !== null) fit.add(stand.id);
    judged.push({ ...url, found: isFit ? url.found : { ...url.found, skip: null }, standIn: stand?.id ?? null });
  }
  return judged;
}
