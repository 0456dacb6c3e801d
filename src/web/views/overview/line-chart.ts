/** One line over time, painted by uPlot, in the colours of the theme. */
import uPlot from 'uplot';
import { formatClock } from '../../ui/format.ts';
import { THEME_EVENT } from '../../ui/theme.tsx';

export interface LineChart {
  show(times: readonly number[], values: readonly number[]): void;
  close(): void;
}

interface LineOptions {
  readonly format: (value: number) => string;
  readonly isMain: boolean;
  /** Called with the point under the pointer, in any of the charts. */
  readonly onPoint: (at: number | null) => void;
}

const SYNC = 'run';
/** Marks of the time axis are whole seconds, minutes or hours apart. */
const SECONDS = [1, 2, 5, 10, 15, 30];
const TIME_STEPS = [1, 60, 3_600, 86_400].flatMap((unit) => SECONDS.map((count) => count * unit * 1_000));
const AXIS_FONT = '11px system-ui, sans-serif';

export function openLineChart(place: HTMLElement, options: LineOptions): LineChart {
  let plot = create(place, options);
  let data: uPlot.AlignedData = [[], []];
  const resize = new ResizeObserver(() => plot.setSize(sizeOf(place)));
  resize.observe(place);
  const repaint = (): void => {
    plot.destroy();
    plot = create(place, options);
    plot.setData(data);
  };
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', repaint);
  addEventListener(THEME_EVENT, repaint);
  return {
    show(times, values) {
      data = [times as number[], values as number[]];
      plot.setData(data);
    },
    close() {
      resize.disconnect();
      dark.removeEventListener('change', repaint);
      removeEventListener(THEME_EVENT, repaint);
      plot.destroy();
    },
  };
}

function create(place: HTMLElement, { format, isMain, onPoint }: LineOptions): uPlot {
  const style = getComputedStyle(place);
  const line = style.color;
  const grid = style.borderTopColor;
  const text = style.outlineColor;
  const axis = { stroke: text, font: AXIS_FONT, ticks: { show: false }, grid: { stroke: grid, width: 1 } };
  return new uPlot(
    {
      ...sizeOf(place),
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false }, sync: { key: SYNC } },
      scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [
        {
          ...axis,
          size: 24,
          gap: 4,
          space: 90,
          incrs: TIME_STEPS,
          grid: { show: false },
          values: (_, all) => all.map(formatClock),
        },
        {
          ...axis,
          size: 58,
          gap: 6,
          space: isMain ? 40 : 32,
          values: (_, all) => all.map((value) => format(value).replace(/\.0(?!\d)/, '')),
        },
      ],
      series: [{}, { stroke: line, width: 1.5, fill: fillOf(line), points: { show: false } }],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    },
    [[], []],
    place,
  );
}

/** The colour of the line, almost transparent. */
function fillOf(color: string): string {
  return color.startsWith('rgb(') ? color.replace('rgb(', 'rgba(').replace(')', ', 0.1)') : 'transparent';
}

function sizeOf(place: HTMLElement): { width: number; height: number } {
  return { width: Math.max(100, place.clientWidth), height: Math.max(60, place.clientHeight) };
}
