/** Draws freshness for the docs: by budget for each contender, and over time while the rates are learned. */
import { type Bounds, BUDGETS, type FreshnessRun, mean, type Size, SPAN_LOOKS } from './compare.ts';
import { KNOWN, OURS } from './contenders.ts';
import { IMPORTANCES, type Importance } from './evolving-web.ts';

const SIGMA = 1.5;
const WIDTH = 900;
const HEIGHT = 380;
const TOP = 50;
const BOTTOM = 50;
const LEFT = 60;
const GAP = 50;
const KEY = 150;
const PANEL = (WIDTH - LEFT - GAP - KEY) / 2;
const NOTICES = 'notices';
/** The lines can be distinguished without colours: each has its own dashes. */
const LOOKS: Readonly<Record<string, readonly [stroke: string, dashes: string]>> = {
  [NOTICES]: ['#999', '2 3'],
  [KNOWN]: ['#444', '6 2 1 2'],
  [OURS]: ['#b3541e', ''],
  uniform: ['#6b4c9a', '3 3'],
  proportional: ['#2a6f97', '8 3'],
  rank: ['#8a6d1d', '1 2'],
  nutch: ['#5a7d2a', '5 2 1 2'],
  'nutch by weight': ['#5a7d2a', '9 3 2 3'],
};
const BUDGET_LOOKS: readonly (readonly [string, string])[] = [
  ['#6b4c9a', '3 3'],
  ['#2a6f97', '8 3'],
  ['#5a7d2a', '5 2 1 2'],
  ['#b3541e', ''],
];

interface Line {
  readonly name: string;
  readonly look: readonly [stroke: string, dashes: string];
  /** The horizontal position from 0 to 1, and the value. */
  readonly points: readonly (readonly [number, number])[];
}

interface Chart {
  readonly title: string;
  readonly label: string;
  readonly across: string;
  readonly ticks: readonly (readonly [number, string])[];
  readonly range: readonly [number, number];
  readonly lines: (importance: Importance) => readonly Line[];
}

export function drawBudgets(bounds: readonly Bounds[], runs: readonly FreshnessRun[]): string {
  const x = (budget: number) => Math.log(budget / 0.1) / Math.log(10);
  return draw({
    title: `Freshness, weighted, by budget (rates lognormal, σ ${SIGMA})`,
    label: 'Weighted freshness by budget for each schedule',
    across: 'looks, as a share of all changes',
    ticks: BUDGETS.map((budget) => [x(budget), String(budget)]),
    range: [0, 1],
    lines: (importance) => {
      const here = runs.filter((run) => run.sigma === SIGMA && run.importance === importance);
      const limits = bounds.filter((each) => each.sigma === SIGMA && each.importance === importance);
      const at = (budget: number) => limits.filter((each) => each.budget === budget);
      const best = (budget: number) => mean(at(budget).map((each) => each.best));
      const noticed = BUDGETS.map((budget) => [x(budget), mean(at(budget).map((each) => each.noticed))] as const);
      const names = [...new Set(here.map(({ contender }) => contender))];
      return [
        { name: NOTICES, look: LOOKS[NOTICES]!, points: noticed },
        ...names.map((name) => ({
          name,
          look: LOOKS[name]!,
          points: BUDGETS.map((budget) => {
            const shares = here.filter((run) => run.contender === name && run.budget === budget);
            return [x(budget), mean(shares.map(({ share }) => share)) * best(budget)] as const;
          }),
        })),
      ];
    },
  });
}

export function drawLearning(runs: readonly FreshnessRun[], { warmUpLooks, countedLooks }: Size): string {
  const length = warmUpLooks + countedLooks;
  return draw({
    title: `Learning: ${OURS} as a share of the optimum (σ ${SIGMA}; counted from look ${warmUpLooks} on; copies start fresh)`,
    label: 'Freshness of the adaptive schedule over the optimum by looks a page, from the first look on',
    across: 'looks a page so far',
    ticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => [part, String(Math.round(part * length))]),
    range: [0.7, 1.2],
    lines: (importance) =>
      BUDGETS.map((budget, i) => {
        const curves = runs
          .filter((run) => run.sigma === SIGMA && run.importance === importance)
          .filter((run) => run.contender === OURS && run.budget === budget)
          .map(({ curve }) => curve);
        const spans = curves[0] ?? [];
        const points = spans.map((_, span) => {
          const share = mean(curves.map((curve) => curve[span]!));
          return [((span + 0.5) * SPAN_LOOKS) / length, Math.min(1.2, Math.max(0.7, share))] as const;
        });
        return { name: `budget ${budget}`, look: BUDGET_LOOKS[i]!, points };
      }),
  });
}

function draw({ title, label, across, ticks, range: [low, high], lines }: Chart): string {
  const y = (value: number) => TOP + ((high - value) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const levels = Array.from({ length: 6 }, (_, i) => low + ((high - low) * i) / 5);
  const keys = new Map<string, Line['look']>();
  const panels = IMPORTANCES.map((importance, panel) => {
    const left = LEFT + panel * (PANEL + GAP);
    const x = (part: number) => left + part * PANEL;
    const grid = levels.map(
      (value) =>
        `<path d="M${left} ${y(value).toFixed(1)}h${PANEL}" stroke="#e5e0d8"/>` +
        `<text x="${left - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value.toFixed(1)}</text>`,
    );
    const marks = ticks.map(
      ([part, text]) =>
        `<text x="${x(part).toFixed(1)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${text}</text>`,
    );
    const drawn = lines(importance).map(({ name, look, points }) => {
      keys.set(name, look);
      const path = points.map(([part, value]) => `${x(part).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
      return `<polyline points="${path}" ${strokeOf(look)}/>`;
    });
    const head = `<text x="${x(0.5)}" y="42" text-anchor="middle">${importance} importance</text>`;
    const foot = `<text x="${x(0.5)}" y="${HEIGHT - 12}" text-anchor="middle">${across}</text>`;
    return [head, ...grid, ...marks, ...drawn, foot].join('\n');
  });
  const key = [...keys].map(([name, look], i) => {
    const keyY = TOP + 14 + i * 22;
    const from = WIDTH - KEY + 10;
    return `<path d="M${from} ${keyY}h26" ${strokeOf(look)}/><text x="${from + 32}" y="${keyY + 4}">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#444" role="img" aria-label="${label}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fcfbf8"/>
<text x="${LEFT}" y="22" font-size="13" fill="#333">${title}</text>
${[...panels, ...key].join('\n')}
</svg>
`;
}

function strokeOf([stroke, dashes]: Line['look']): string {
  return `stroke="${stroke}" stroke-width="2" stroke-dasharray="${dashes}" fill="none"`;
}
