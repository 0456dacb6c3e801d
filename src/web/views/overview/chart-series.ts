/** The points of the charts of a run. Old points are thinned out, so that a chart of a long run stays small. */
import type { Chart, Run } from '../../../serve/contract/live.ts';

const MAX_POINTS = 900;
/** Figures arrive twice a second; a chart gets a point a second. */
const MIN_STEP_MS = 1_000;

type Columns = { -readonly [K in keyof Chart]: number[] };

export class ChartSeries {
  #columns: Columns;

  constructor(chart: Chart) {
    this.#columns = copyOf(chart, () => true);
  }

  get data(): Chart {
    return { ...this.#columns };
  }

  /** Returns whether the charts have a new point. */
  add(run: Run): boolean {
    const { times } = this.#columns;
    if (run.elapsedMs < (times.at(-1) ?? -MIN_STEP_MS) + MIN_STEP_MS) return false;
    if (times.length >= MAX_POINTS) {
      // Every second point of the older half is dropped. The latest minutes keep all points.
      const half = times.length / 2;
      this.#columns = copyOf(this.#columns, (at) => at >= half || at % 2 === 0);
    }
    const columns = this.#columns;
    columns.times.push(run.elapsedMs);
    columns.pagesPerSecond.push(run.pagesPerSecond);
    columns.bytesPerSecond.push(run.bytesPerSecond);
    columns.waiting.push(run.waiting);
    columns.failed.push(run.failed);
    columns.memoryMb.push(run.memoryMb);
    columns.cpu.push(run.cpu);
    return true;
  }
}

function copyOf(chart: Chart, keeps: (at: number) => boolean): Columns {
  const entries = Object.entries(chart).map(([name, values]) => [name, values.filter((_, at) => keeps(at))]);
  return Object.fromEntries(entries) as Columns;
}
