/**
 * Fetches a changed page a second time, because what differs within seconds is no news. In: the response of a visit,
 * and the judgement of it. Out: the judgement, made again if the second look has shown that more of it is noise.
 *
 * What always holds: a few pages of each group of the host are looked at twice, the second request passes the gate of
 * the host like any other, and it is counted. It is not archived: the visit already has a version of the page.
 */
import { hash32 } from '../../../change/evidence/evidence-form.ts';
import { NoiseEvidence } from '../../../change/evidence/noise-evidence.ts';
import type { RefreshOptions } from '../../../core/options/refresh-options.ts';
import type { FetchOutcome } from '../../../fetch/outcome.ts';
import type { UrlResult } from '../../../store/contract.ts';
import { pathShape } from '../../../url/path-shape.ts';
import { type AskedHost, hasPage, mediaType, type Stages } from '../pipeline.ts';
import type { JudgedChange } from './change-judge.ts';

/** What differs after a longer time may be news. The gate of a slow host may open late. */
const SAME_MOMENT_MS = 30_000;

type Judged = Omit<JudgedChange, 'mayBeNoise'> & {
  readonly counted: Pick<UrlResult, 'moreRequests' | 'receivedBytes'>;
};

export async function judgeKnowingNoise(
  outcome: FetchOutcome,
  host: AskedHost,
  stages: Stages,
  judge: (host: AskedHost) => Promise<JudgedChange>,
): Promise<Judged> {
  const { mayBeNoise, ...judged } = await judge(host);
  if (!mayBeNoise || judged.level !== 'content' || !mayLookTwice(outcome, host, stages))
    return { ...judged, counted: {} };
  const noise = host.noise!;
  const known = noise.ignored(stages.nowMs()).length;
  const counted = await lookTwice(outcome, host, noise, stages);
  if (noise.ignored(stages.nowMs()).length === known) return { ...judged, counted };
  // The visit is counted in the evidence already, so it is judged with a copy.
  const { mayBeNoise: _mayBeNoise, ...again } = await judge({ ...host, noise: new NoiseEvidence(noise.encode()) });
  return { ...again, counted };
}

/** Whether both versions of a page should be compared, although it is known that the content differs. */
export function isWorthReading(url: string, { noise }: AskedHost, mayBeNoise: boolean, stages: Stages): boolean {
  if (noise === null) return false;
  const nowMs = stages.nowMs();
  return noise.isLearning(nowMs) || (mayBeNoise && noise.mayReadFirst(groupOf(url), nowMs));
}

function mayLookTwice({ url }: FetchOutcome, { noise }: AskedHost, stages: Stages): boolean {
  if (noise === null || stages.secondLook === null) return false;
  return noise.wantsDoubleLook(groupOf(url), hash32(url), stages.nowMs());
}

async function lookTwice(
  outcome: FetchOutcome,
  { hostId, template }: AskedHost,
  noise: NoiseEvidence,
  stages: Stages,
): Promise<Judged['counted']> {
  const { url } = outcome;
  noise.beginDoubleLook(groupOf(url), hash32(url), stages.nowMs());
  // Nothing is processed while the host is asked.
  stages.marking(0);
  const second = await stages.secondLook!(hostId, url);
  if (second === null) return {};
  try {
    const isSoon = second.startedAtMs - outcome.startedAtMs <= SAME_MOMENT_MS;
    const isPage = isSoon && second.redirectTo === null && hasPage(second) && mediaType(second) === mediaType(outcome);
    if (isPage) (await stages.changes()).recordDoubleLook(outcome, second, template, noise);
    return { moreRequests: 1, receivedBytes: outcome.bodyBytes + second.bodyBytes };
  } finally {
    second.release();
  }
}

/** Pages of one group have the same template. */
function groupOf(url: string): number {
  return hash32(pathShape(url));
}

/** A fixed number of requests leaves none for second looks. */
export function looksTwice(refresh: RefreshOptions | null): boolean {
  return refresh?.learnNoise === true && refresh.budget === 0 && refresh.hostBudget === 0;
}
