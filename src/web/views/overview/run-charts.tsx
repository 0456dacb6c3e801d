/** Charts over the run. New figures are added as they arrive; all charts show the same moment under the pointer. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chart as ChartData, Run } from '../../../serve/contract/live.ts';
import { useCopy } from '../../api/session.ts';
import { formatBytes, formatClock, formatCount, formatRate } from '../../ui/format.ts';
import { ChartSeries } from './chart-series.ts';
import type { LineChart } from './line-chart.ts';

interface Kind {
  readonly name: string;
  readonly field: Exclude<keyof ChartData, 'times'>;
  readonly format: (value: number) => string;
  readonly isMain?: boolean;
}

const KINDS: readonly Kind[] = [
  { name: 'Pages per second', field: 'pagesPerSecond', format: formatRate, isMain: true },
  { name: 'Waiting URLs', field: 'waiting', format: formatCount },
  { name: 'Memory', field: 'memoryMb', format: (mb) => formatBytes(mb * 1e6) },
  { name: 'CPU cores', field: 'cpu', format: (cores) => cores.toFixed(1) },
];

export function RunCharts({ chart, run }: { readonly chart: ChartData; readonly run: Run }) {
  const { live } = useCopy();
  const series = useRef<ChartSeries>(null);
  series.current ??= new ChartSeries(chart);
  const [shown, setShown] = useState<ChartData>(() => series.current!.data);
  const [at, setAt] = useState<number | null>(null);

  useEffect(
    () =>
      live.onRun((now) => {
        if (now.id === run.id && series.current!.add(now)) setShown(series.current!.data);
      }),
    [live, run.id],
  );
  const index = at !== null && at < shown.times.length ? at : shown.times.length - 1;
  const time = shown.times[index] ?? 0;
  return (
    <section class="charts" aria-label="Charts of the run">
      {KINDS.map((kind) => (
        <figure key={kind.field} class={`chart${kind.isMain ? ' chart-main' : ''}`}>
          <figcaption>
            <span class="chart-name">{kind.name}</span>
            <span class="chart-value numbers">{kind.format(shown[kind.field][index] ?? 0)}</span>
            {kind.isMain && <span class="chart-time numbers">{at === null ? '' : `at ${formatClock(time)}`}</span>}
          </figcaption>
          <Line kind={kind} data={shown} onPoint={setAt} />
        </figure>
      ))}
    </section>
  );
}

interface LineProps {
  readonly kind: Kind;
  readonly data: ChartData;
  readonly onPoint: (at: number | null) => void;
}

function Line({ kind, data, onPoint }: LineProps) {
  const place = useRef<HTMLDivElement>(null);
  const line = useRef<LineChart>(null);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    let isClosed = false;
    // The chart library is loaded beside the first figures, so that it does not delay them.
    void import('./line-chart.ts').then(({ openLineChart }) => {
      if (isClosed || place.current === null) return;
      line.current = openLineChart(place.current, { format: kind.format, isMain: kind.isMain ?? false, onPoint });
      line.current.show(latest.current.times, latest.current[kind.field]);
    });
    return () => {
      isClosed = true;
      line.current?.close();
      line.current = null;
    };
  }, [kind, onPoint]);
  useEffect(() => line.current?.show(data.times, data[kind.field]), [data, kind]);

  const values = data[kind.field];
  const last = values.at(-1) ?? 0;
  const label = `${kind.name} over ${formatClock(data.times.at(-1) ?? 0)}: now ${kind.format(last)}, lowest ${kind.format(
    Math.min(...values, last),
  )}, highest ${kind.format(Math.max(...values, last))}.`;
  return <div class="chart-place" ref={place} role="img" aria-label={label} />;
}
