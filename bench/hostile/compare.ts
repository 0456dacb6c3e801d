/**
 * What the bad hosts cost the healthy one: the runs of all rounds in, ratios out, formed within each round.
 *
 * They share the machine's cores with the crawl and with their own server, so part of any slowdown is work that has to be done:
 * the CPU time of a crawl of bad hosts alone and of their server, less what every crawl pays to start. On `cores` cores that are
 * all busy it makes the healthy crawl longer by that time divided by `cores`; what the crawl lost beyond that is ours. The CPU
 * time that was really added, in the crawl of both, tells whether the rest was work too or waiting.
 */
import { type Spread, spreadOf } from '../report/summary.ts';
import type { Case, HostileRun } from './run-crawl.ts';

export interface RoundComparison {
  readonly round: number;
  /** The healthy host's pages a second beside bad hosts, over those without. */
  readonly speedRatio: number;
  /** The same counted from the start of the process, so that a late beginning shows too. */
  readonly untilLastRatio: number;
  /** The same of the later half of the pages. */
  readonly laterHalfRatio: number;
  readonly memoryRatio: number;
  /** How much longer the healthy host took. */
  readonly slowdownSeconds: number;
  /** CPU time of the bad pages in the crawler and in their server. */
  readonly badCpuSeconds: number;
  /** What the crawler and the bad servers took more together than the crawler of the healthy host alone. */
  readonly addedCpuSeconds: number;
  /** The speed that is left when only that CPU time is taken away. */
  readonly expectedRatio: number;
  /** speedRatio over expectedRatio: 1 is a slowdown by CPU time alone. */
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
