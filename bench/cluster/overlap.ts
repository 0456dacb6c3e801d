/**
 * Measures how much work many workers do twice (W20, Table II). In: three models and a real crawl. Out: one row each.
 */
import { randomBelow, seededRandom } from '../../testbed/random.ts';
import { linkGraphOf, MODELS, type Model, modelOverlap } from './overlap-model.ts';
import { runScaling, type ScalingPlace, type ScalingRun } from './scaling.ts';
import { timesFetched } from './web-log.ts';

const SAMPLES = 5;

export interface OverlapRow {
  readonly scenario: Model | 'ours';
  readonly crowd: number;
  readonly distinctPages: number;
  readonly fetches: number;
  /** Fetches of pages that had already been fetched. */
  readonly repeated: number;
  readonly mostTimes: number;
  /** Number of fetches of five randomly chosen pages, as in the table of the paper. */
  readonly samples: readonly number[];
  /** Null when crawlers send no messages to each other. */
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

/** Runs real workers on the same web, each with its own network. */
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
  // Every scenario uses the same sample pages.
  const random = seededRandom(seed, 9);
  const samples = Array.from({ length: SAMPLES }, () => times[randomBelow(random, times.length)]!);
  const mostTimes = times.reduce((most, each) => Math.max(most, each), 0);
  return { scenario, crowd, distinctPages, fetches, repeated: fetches - distinctPages, mostTimes, samples, messages };
}
