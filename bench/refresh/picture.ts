/**
 * Draws an SVG for the docs: time and bytes of an update as shares of a full crawl, against the share of changed pages,
 * with one panel for each variant.
 */
import type { Spread } from '../report/summary.ts';
import type { UpdateRow } from './compare.ts';
import { CONTENDERS, type ContenderName } from './contenders.ts';
import { VARIANTS, type Variant } from './variants.ts';

const PANEL_WIDTH = 210;
const PANEL_HEIGHT = 190;
const GAP = 54;
const LEFT = 64;
const TOP = 60;
const BOTTOM = 70;
const ROW_GAP = 44;
/** The lines can be distinguished without colours: each has its own dashes. */
const LOOKS: Readonly<Record<ContenderName, { readonly stroke: string; readonly dashes: string }>> = {
  refresh: { stroke: '#b3541e', dashes: '' },
  crawl: { stroke: '#999', dashes: '2 3' },
  wget: { stroke: '#2a6f97', dashes: '8 3' },
  scrapy: { stroke: '#5a7d2a', dashes: '5 2 1 2' },
};

const MEASURES = [
  { title: 'time', of: (row: UpdateRow) => row.timeRatio },
  { title: 'bytes', of: (row: UpdateRow) => row.byteRatio },
] as const satisfies ReadonlyArray<{ title: string; of: (row: UpdateRow) => Spread | undefined }>;

export function drawPicture(rows: readonly UpdateRow[]): string {
  const variants = VARIANTS.filter((variant) => rows.some((row) => row.variant === variant));
  const shares = [...new Set(rows.map(({ share }) => share))].sort((left, right) => left - right);
  const panels = MEASURES.flatMap((measure, line) =>
    variants.map((variant, column) => {
      const x = LEFT + column * (PANEL_WIDTH + GAP);
      const y = TOP + line * (PANEL_HEIGHT + ROW_GAP);
      return `<g transform="translate(${x} ${y})">${drawPanel(rows, variant, shares, measure)}</g>`;
    }),
  );
  const width = LEFT + variants.length * (PANEL_WIDTH + GAP);
  const height = TOP + MEASURES.length * PANEL_HEIGHT + ROW_GAP + BOTTOM;
  const key = CONTENDERS.map(({ name, title }, place) => {
    const x = LEFT + place * 190;
    return `<path d="M${x} ${height - 18}h26" ${lineOf(name)}/><text x="${x + 32}" y="${height - 14}">${title}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#444" role="img" aria-label="Time and bytes of bringing a copy up to date, as shares of a full crawl, against the share of pages that changed">
<rect width="${width}" height="${height}" fill="#fcfbf8"/>
<text x="${LEFT}" y="22" font-size="13" fill="#333">What keeping a copy fresh costs, as a share of a full crawl, by the pages that changed</text>
${[...panels, ...key].join('\n')}
</svg>
`;
}

function drawPanel(
  rows: readonly UpdateRow[],
  variant: Variant,
  shares: readonly number[],
  { title, of }: (typeof MEASURES)[number],
): string {
  // Both a hundredth and ten times matter, so the scale is logarithmic. All panels of a measure have the same scale.
  const logs = rows.flatMap((row) => logOf(of(row)) ?? []);
  // A value slightly above a full crawl does not need another power of ten.
  const [low, high] = [Math.floor(Math.min(-1, ...logs)), Math.ceil(Math.max(0, ...logs) - 0.1)];
  const x = (place: number) => ((place + 0.5) * PANEL_WIDTH) / shares.length;
  const y = (log: number) => ((high - log) * PANEL_HEIGHT) / (high - low);
  const grid = Array.from({ length: high - low + 1 }, (_, step) => low + step).map((log) => {
    const label = log >= 0 ? 10 ** log : `1/${10 ** -log}`;
    const stroke = log === 0 ? '#b9b2a6' : '#e5e0d8';
    return `<path d="M0 ${y(log).toFixed(1)}H${PANEL_WIDTH}" stroke="${stroke}"/><text x="-6" y="${(y(log) + 4).toFixed(1)}" text-anchor="end">${label}</text>`;
  });
  const ticks = shares.map(
    (share, place) =>
      `<text x="${x(place).toFixed(1)}" y="${PANEL_HEIGHT + 16}" text-anchor="middle">${share} %</text>`,
  );
  const lines = CONTENDERS.map(({ name }) => {
    const points = shares.flatMap((share, place) => {
      const row = rows.find((each) => each.variant === variant && each.share === share && each.contender === name);
      const log = row === undefined ? undefined : logOf(of(row));
      return log === undefined ? [] : [`${x(place).toFixed(1)},${y(log).toFixed(1)}`];
    });
    return points.length === 0 ? '' : `<polyline points="${points.join(' ')}" ${lineOf(name)}/>`;
  });
  const heading = `<text x="0" y="-10" fill="#333">${title}: ${variant}</text>`;
  return [heading, ...grid, ...ticks, ...lines].join('');
}

function logOf(spread: Spread | undefined): number | undefined {
  return spread === undefined || spread.median <= 0 ? undefined : Math.log10(spread.median);
}

function lineOf(name: ContenderName): string {
  const { stroke, dashes } = LOOKS[name];
  return `stroke="${stroke}" stroke-width="2" stroke-dasharray="${dashes}" fill="none"`;
}
