/**
 * The chart of a run. In: figures, twice a second. Out: at most 240 points that cover the whole run. What always holds:
 * memory does not grow with the length of the run. When the chart is full, pairs of points become one, so each point
 * stands for the same span of time.
 */
import type { LiveChart, LiveFigures, LiveRates } from './live-file.ts';

const MOST_POINTS = 240;
const NAMES = ['pagesPerSecond', 'bytesPerSecond', 'waiting', 'failed', 'memoryMb', 'cpu'] as const;

type Point = Readonly<Record<(typeof NAMES)[number], number>>;

export class ChartKeeper {
  readonly #times: number[] = [];
  readonly #points: Point[] = [];
  /** The number of figures that one point stands for. */
  #span = 1;
  #gathered: Point[] = [];

  add(elapsedMs: number, { waiting, failed }: LiveFigures, rates: LiveRates): void {
    this.#gathered.push({ ...rates, waiting, failed });
    if (this.#gathered.length < this.#span) return;
    this.#times.push(Math.round(elapsedMs));
    this.#points.push(meanOf(this.#gathered));
    this.#gathered = [];
    if (this.#points.length >= MOST_POINTS) this.#halve();
  }

  toChart(): LiveChart {
    const columns = NAMES.map((name) => [name, this.#points.map((point) => rounded(point[name]))]);
    return { times: [...this.#times], ...Object.fromEntries(columns) } as LiveChart;
  }

  #halve(): void {
    const points = this.#points.splice(0);
    const times = this.#times.splice(0);
    for (let i = 0; i + 1 < points.length; i += 2) {
      this.#points.push(meanOf([points[i]!, points[i + 1]!]));
      this.#times.push(times[i + 1]!);
    }
    this.#span *= 2;
  }
}

function meanOf(points: readonly Point[]): Point {
  const means = NAMES.map((name) => [name, points.reduce((sum, point) => sum + point[name], 0) / points.length]);
  return Object.fromEntries(means) as Point;
}

/** Three digits are enough for a chart, and keep the file small. */
function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toFixed(2));
}
