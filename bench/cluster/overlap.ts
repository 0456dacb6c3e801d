/** How much of its work a crowd does twice (W20, Table II): three models and the real thing in, one row each out. */
import { randomBelow, seededRandom } from '../web/random.ts';
import { linkGraphOf, MODELS, type Model, modelOverlap } from './overlap-model.ts';
import { runScaling, type ScalingPlace, type ScalingRun } from './scaling.ts';
import { timesFetched } from './web-log.ts';

const SAMPLES = 5;

export interface OverlapRow {
  readonly scenario: Model | 'ours';
  readonly crowd: number;
  readonly distinctPages: number;
  readonly fetches: number;
  /** Fetches of pages that somebody had fetched already. */
  readonly repeated: number;
  readonly mostTimes: number;
  /** How often five pages drawn by lot were fetched: the paper's own table. */
  readonly samples: readonly number[];
  /** Null where there are none between crawlers. */
  readonly messages: number | null;
  readonly failure?: string | undefined;
}

export function modelRows(place: Pick<ScalingPlace, 'plan'>, crowd: number, seed: number): OverlapRow[] {
  const graph = linkGraphOf(place.plan);
  return MODELS.map((scenario) => {
    const { times, messages } = modelOverlap(scenario, graph, crowd);
    return rowOf(scenario, crowd, times, seed, messages > 0 ? messages : null);
  });
}

/** Fifty real workers on the same web, each with a network of its own. */
export async function crowdRow(
  place: ScalingPlace,
  crowd: number,
  seed: number,
): Promise<{ readonly row: OverlapRow; readonly run: ScalingRun }> {
  const { run, requests } = await runScaling(place, crowd, 1);
  const fetched = timesFetched(requests);
  const times = Array.from({ length: place.plan.shape.pages }, (_, page) => fetched.get(page) ?? 0);
  return { row: { ...rowOf('ours', crowd, times, seed, null), failure: run.failure }, run };
}

function rowOf(
  scenario: OverlapRow['scenario'],
  crowd: number,
  times: readonly number[],
  seed: number,
  messages: number | null,
): OverlapRow {
  const fetches = times.reduce((sum, each) => sum + each, 0);
  const distinctPages = times.filter((each) => each > 0).length;
  // The same pages in each scenario.
  const random = seededRandom(seed, 9);
  const samples = Array.from({ length: SAMPLES }, () => times[randomBelow(random, times.length)]!);
  const mostTimes = times.reduce((most, each) => Math.max(most, each), 0);
  return { scenario, crowd, distinctPages, fetches, repeated: fetches - distinctPages, mostTimes, samples, messages };
}
