/**
 * Measures the value of a schedule: its freshness as a share of the best possible freshness with known change rates.
 */
import { CONTENDERS, type Contender, KNOWN, runCourse, WEIGHING } from './contenders.ts';
import { DAY_MS, factsOf, IMPORTANCES, type Importance } from './evolving-web.ts';
import { bestFreshness, noticedFreshness } from './optimum.ts';

export const SIGMAS = [1, 1.5, 2] as const;
/** Number of visits, as a share of the changes of all pages. */
export const BUDGETS = [0.1, 0.2, 0.5, 1] as const;

export interface Size {
  readonly pages: number;
  /** Mean visits per page: in the warm-up, which is not counted, and in the counted time. */
  readonly warmUpLooks: number;
  readonly countedLooks: number;
  /** Number of plans in the time in which every page could be visited once. A plan visits a page at most once. */
  readonly roundsALook: number;
}

export interface Cell {
  readonly sigma: number;
  readonly importance: Importance;
  readonly budget: number;
}

export interface FreshnessRun extends Cell {
  readonly seed: number;
  readonly contender: Contender;
  /** Expected and real freshness divided by the optimum, after the warm-up. */
  readonly share: number;
  readonly realShare: number;
  /** The same share from the beginning, by spans of SPAN_LOOKS. */
  readonly curve: readonly number[];
  readonly usedShare: number;
}

export interface Bounds extends Cell {
  readonly seed: number;
  readonly best: number;
  readonly noticed: number;
}

export const SPAN_LOOKS = 2;
/** The longest intervals whose cost is measured, in mean intervals. */
export const FLOORS = [10, 20, 40] as const;
export const FLOOR_CELLS: readonly Cell[] = [0.2, 0.5].flatMap((budget) =>
  IMPORTANCES.map((importance) => ({ sigma: 1.5, importance, budget })),
);

export function cells(): Cell[] {
  return SIGMAS.flatMap((sigma) =>
    IMPORTANCES.flatMap((importance) => BUDGETS.map((budget) => ({ sigma, importance, budget }))),
  );
}

export function contendersOf({ importance }: Pick<Cell, 'importance'>): readonly Contender[] {
  return importance === 'equal' ? CONTENDERS : [...CONTENDERS, ...WEIGHING];
}

export function boundsOf(cell: Cell, { pages }: Size, seed: number): Bounds {
  const facts = factsOf({ ...cell, pages, seed });
  const looksADay = cell.budget * pages;
  return { ...cell, seed, best: bestFreshness(facts, looksADay), noticed: noticedFreshness(facts, looksADay) };
}

/** Runs without a longest interval, like the optimum, unless one is given. */
export function runContender(
  contender: Contender,
  bounds: Bounds,
  size: Size,
  floorLooks = Number.POSITIVE_INFINITY,
): FreshnessRun {
  const { sigma, importance, budget, seed, best } = bounds;
  const facts = factsOf({ sigma, importance, pages: size.pages, seed });
  const { real, expected, usedShare } = runCourse(contender, facts, {
    looksADay: budget * size.pages,
    looksARound: Math.max(1, Math.round(size.pages / size.roundsALook)),
    lengthLooks: size.warmUpLooks + size.countedLooks,
    spanLooks: SPAN_LOOKS,
    seed,
    maxIntervalMs: (floorLooks / budget) * DAY_MS,
  });
  const counted = (spans: readonly number[]) => mean(spans.slice(size.warmUpLooks / SPAN_LOOKS)) / best;
  const curve = expected.map((fresh) => round(fresh / best));
  const shares = { share: round(counted(expected)), realShare: round(counted(real)) };
  return { sigma, importance, budget, seed, contender, ...shares, curve, usedShare: round(usedShare) };
}

export interface FloorRun extends Cell {
  readonly floorLooks: number;
  readonly share: number;
}

/**
 * Measures the cost of a longest interval for a schedule that knows the rates. All other differences from the
 * optimum are almost zero.
 */
export function runFloors(cell: Cell, size: Size, seed: number): FloorRun[] {
  const bounds = boundsOf(cell, size, seed);
  return FLOORS.map((floorLooks) => {
    const { share } = runContender(KNOWN, bounds, size, floorLooks);
    return { ...cell, floorLooks, share };
  });
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
