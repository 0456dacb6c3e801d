/**
 * Computes how much the bad hosts cost the healthy host. In: the runs of all rounds. Out: ratios, each
 * formed within a round.
 *
 * The bad hosts share the CPU cores with the crawl and with their own server, so a part of each slowdown is necessary
 * work: the CPU time of a crawl of only bad hosts and of their server, minus the start cost of every crawl. On `cores`
 * busy cores this work makes the healthy crawl longer by that time divided by `cores`. Any further loss is the fault of
 * Orbweaver. The CPU time that was really added, in the crawl of both, shows whether the rest was work or waiting.
 */
import { type Spread, spreadOf } from '../report/summary.ts';
import type { Case, HostileRun } from './run-crawl.ts';

export interface RoundComparison {
  readonly round: number;
  /** Pages per second of the healthy host with bad hosts, divided by the speed without them. */
  readonly speedRatio: number;
  /** The same ratio counted from the start of the process, so that a late beginning is visible, too. */
  readonly untilLastRatio: number;
  /** The same ratio for the second half of the pages. */
  readonly laterHalfRatio: number;
  readonly memoryRatio: number;
  /** How much longer the healthy host took. */
  readonly slowdownSeconds: number;
  /** CPU time of the bad pages in the crawler and in their server. */
  readonly badCpuSeconds: number;
  /** CPU time of the crawler and the bad servers together, minus the CPU time of a crawl of only the healthy host. */
  readonly addedCpuSeconds: number;
  /** The remaining speed when only that CPU time is lost. */
  readonly expectedRatio: number;
  /** speedRatio divided by expectedRatio: 1 means that CPU time alone explains the slowdown. */
  readonly correctedRatio: number;
}

export function compareRounds(runs: readonly HostileRun[], cores: number): RoundComparison[] {
  const rounds = [...new Set(runs.map(({ round }) => round))];
  return rounds.flatMap((round) => {
    const of = (which: Case) =>
      runs.find((run) => run.round === round && run.case === which && run.failure === undefined);
    const [healthy, both, hostile, start] = [of('healthy'), of('both'), of('hostile'), of('start')];
    if (!healthy || !both || !hostile || !start) return [];
    const speedRatio = both.pagesPerSecond / healthy.pagesPerSecond;
    const badCpuSeconds = Math.max(
      0,
      hostile.crawlerCpuSeconds + hostile.badServerCpuSeconds - start.crawlerCpuSeconds,
    );
    const expectedRatio = healthy.healthySeconds / (healthy.healthySeconds + badCpuSeconds / cores);
    return [
      {
        round,
        speedRatio,
        untilLastRatio: healthy.untilLastSeconds / both.untilLastSeconds,
        laterHalfRatio: healthy.laterHalfSeconds / both.laterHalfSeconds,
        memoryRatio: both.peakRssMb / healthy.peakRssMb,
        slowdownSeconds: both.healthySeconds - healthy.healthySeconds,
        badCpuSeconds,
        addedCpuSeconds: both.crawlerCpuSeconds + both.badServerCpuSeconds - healthy.crawlerCpuSeconds,
        expectedRatio,
        correctedRatio: speedRatio / expectedRatio,
      },
    ];
  });
}

export function spreadOver(
  rounds: readonly RoundComparison[],
  value: (round: RoundComparison) => number,
): Spread | undefined {
  return spreadOf(rounds.map(value));
}
