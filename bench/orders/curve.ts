/**
 * Draws Fig 6 of the best-first paper as an SVG for the docs: the mean PageRank of the fetched pages,
 * tenth by tenth, falling.
 */
import { COMPARED, ORACLE, type OrderRun, OURS, TENTHS, type WebName } from './compare.ts';

const WIDTH = 760;
const HEIGHT = 380;
const LEFT = 70;
const RIGHT = 150;
const TOP = 40;
const BOTTOM = 50;
/** The lines can be distinguished without colours: each has its own dashes. */
const LOOKS: Readonly<Record<string, { readonly stroke: string; readonly dashes: string }>> = {
  [ORACLE]: { stroke: '#999', dashes: '2 3' },
  [OURS]: { stroke: '#b3541e', dashes: '' },
  opic: { stroke: '#2a6f97', dashes: '8 3' },
  backlink: { stroke: '#5a7d2a', dashes: '5 2 1 2' },
  'breadth-first': { stroke: '#6b4c9a', dashes: '3 3' },
};

/** Mean over the seeds, as a multiple of the web's mean PageRank: 1 is an average page. */
export function meanRankByTenth(runs: readonly OrderRun[], web: WebName, order: string): number[] {
  const chosen = runs.filter((run) => run.web === web && run.order === order);
  return Array.from({ length: TENTHS }, (_, i) => {
    const gained = chosen.map(({ mass }) => mass[i]! - (mass[i - 1] ?? 0));
    return (gained.reduce((sum, each) => sum + each, 0) / gained.length) * TENTHS;
  });
}

export function drawCurve(runs: readonly OrderRun[], web: WebName, pages: number): string {
  const series = [ORACLE, ...COMPARED].map((order) => ({ order, ranks: meanRankByTenth(runs, web, order) }));
  // Ranks fall from several times the mean to a fraction of it. A logarithmic scale shows both ends.
  const logs = series.flatMap(({ ranks }) => ranks.map(Math.log2));
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  const x = (tenth: number) => LEFT + (tenth * (WIDTH - LEFT - RIGHT)) / (TENTHS - 1);
  const y = (rank: number) => TOP + ((high - Math.log2(rank)) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const grid = Array.from({ length: high - low + 1 }, (_, i) => 2 ** (low + i)).map(
    (rank) =>
      `<path d="M${LEFT} ${y(rank).toFixed(1)}H${WIDTH - RIGHT}" stroke="#e5e0d8"/>` +
      `<text x="${LEFT - 8}" y="${(y(rank) + 4).toFixed(1)}" text-anchor="end">${rank >= 1 ? rank : `1/${1 / rank}`}</text>`,
  );
  const ticks = Array.from(
    { length: TENTHS },
    (_, i) => `<text x="${x(i).toFixed(1)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${i + 1}</text>`,
  );
  const lines = series.map(({ order, ranks }, i) => {
    const { stroke, dashes } = LOOKS[order]!;
    const points = ranks.map((rank, tenth) => `${x(tenth).toFixed(1)},${y(rank).toFixed(1)}`).join(' ');
    const keyY = TOP + 14 + i * 22;
    const look = `stroke="${stroke}" stroke-width="2" stroke-dasharray="${dashes}" fill="none"`;
    return (
      `<polyline points="${points}" ${look}/><path d="M${WIDTH - RIGHT + 16} ${keyY}h26" ${look}/>` +
      `<text x="${WIDTH - RIGHT + 48}" y="${keyY + 4}">${order}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#444" role="img" aria-label="Mean PageRank of the pages fetched, falling through the crawl, for each order">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fcfbf8"/>
<text x="${LEFT}" y="22" font-size="13" fill="#333">Mean PageRank of what is fetched, by tenths of a crawl of ${pages.toLocaleString('en')} pages (${web}; mean: 1)</text>
${[...grid, ...ticks, ...lines].join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">tenth of the crawl</text>
</svg>
`;
}
