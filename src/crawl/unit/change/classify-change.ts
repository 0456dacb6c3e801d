/**
 * Classifies and describes the change between two versions of a page. In: the versions, the rules for noise, and a CPU
 * budget. Out: the level of the change, its edit, and the description for the store, as JSON.
 */
import { codesOf } from '../../../change/codes/page-codes.ts';
import { describe, replaced } from '../../../change/compare-versions.ts';
import { decide } from '../../../change/decide.ts';
import { compareImages, type ImageChange } from '../../../change/image/compare-pictures.ts';
import type { NoiseRules } from '../../../change/noise/noise-rules.ts';
import { NoisePair } from '../../../change/noise/remove-noise.ts';
import { keepSelected } from '../../../change/noise/selectors/keep-selected.ts';
import type { PageChange, PageVersion } from '../../../change/page-change.ts';
import { BudgetSpent, type CpuBudget } from '../../../core/cpu-budget.ts';
import type { ChangeClass } from '../../../core/page/change-class.ts';
import type { PageOutline } from '../../../core/page/page-outline.ts';
import { editBetweenOutlines } from './edit-between.ts';
import type { NoiseOfVisit } from './host-noise.ts';

export interface ClassifiedChange extends Pick<ChangeClass, 'level' | 'part'>, Partial<Pick<ChangeClass, 'edit'>> {
  /** A `DescribedChange` as JSON. */
  readonly change: string | null;
  /** The CPU budget of the page ran out before the change was described. */
  readonly isCut?: boolean;
  /** The versions differ in regions that may be noise of the host. */
  readonly mayBeNoise?: boolean;
}

/** The description of a change: the contract of `history --json`, of webhooks and of commands. */
export interface DescribedChange extends PageChange {
  /** The noise rules that removed something from the comparison. */
  readonly noise: readonly string[];
  /** The codes of the new version (P8 to P11); null if it is not HTML. */
  readonly codes: PageCodes | null;
  /** The visual comparison of both versions of an image (P12); null for other content and unknown formats. */
  readonly image: ImageChange | null;
  /** The description says only that the page changed, because the CPU budget of the page ran out. */
  readonly isCut?: boolean;
  /** No element of the new version is selected by `--only-in`. */
  readonly isPartMissing?: boolean;
}

export interface PageCodes {
  /** First and last letters of the tags, at most `MAX_LETTERS`. */
  readonly structure: readonly [first: string, last: string];
  readonly levels: readonly number[];
  readonly text: readonly [average: number, root: number];
}

const MAX_LETTERS = 2_000;
export interface KnownOfVisit {
  /** What is known about noise of the host. */
  readonly visit?: NoiseOfVisit | null;
  /** The regions show that the content has changed. The versions are compared for noise, and described later. */
  readonly isDecided?: boolean;
}

/** Classifies and describes a change. If the budget runs out, it counts as content, and the description says so. */
export function describeChange(
  before: PageVersion,
  after: PageVersion,
  rules: NoiseRules | undefined,
  budget: CpuBudget,
  { visit = null, isDecided = false }: KnownOfVisit = {},
): ClassifiedChange {
  try {
    return budget.run(() => describeWithin([before, after], rules, { visit, isDecided }, () => budget.check()));
  } catch (error) {
    if (error instanceof BudgetSpent) return NOT_DESCRIBED;
    throw error;
  }
}

function describeWithin(
  [before, after]: readonly [before: PageVersion, after: PageVersion],
  rules: NoiseRules | undefined,
  { visit, isDecided }: Required<KnownOfVisit>,
  checkBudget: () => void,
): ClassifiedChange {
  const noise = rules && new NoisePair(rules, checkBudget);
  const ofHost = (outline: PageOutline): PageOutline => visit?.ignore(outline) ?? outline;
  const ignoring = noise && ((outline: PageOutline) => ofHost(noise.ignore(outline)));
  const onlyIn = rules?.onlyIn ?? [];
  const within = onlyIn.length === 0 ? undefined : (outline: PageOutline) => keepSelected(outline, onlyIn);
  const decision = decide(before, after, ignoring, checkBudget, within);
  const { level, part, isPartMissing } = decision;
  const mayBeNoise = visit?.record() ?? false;
  // The page was gone and is back with the same content.
  if (level === null) return { ...UNCLASSIFIED_CONTENT, change: null };
  const { outlines } = decision;
  const edit = level === 'content' && outlines !== null ? editBetweenOutlines(...outlines) : null;
  const found = { level, part, edit, ...(mayBeNoise ? { mayBeNoise } : {}) };
  const learned = visit?.names ?? [];
  // Whoever describes it later does not know what was learned about the host.
  if (isDecided && level === 'content' && learned.length === 0) return { ...found, change: null };
  const described: DescribedChange = {
    ...describe(before, after, decision, checkBudget),
    noise: [...(noise?.differences ?? []), ...learned],
    codes: after.outline && pageCodes(after.outline),
    image: null,
    ...(isPartMissing ? { isPartMissing } : {}),
  };
  return { ...found, change: JSON.stringify(described) };
}

/** In doubt, other bytes are other content. */
export const UNCLASSIFIED_CONTENT = { level: 'content', part: null } as const;

const NOT_DESCRIBED: ClassifiedChange = Object.freeze({ ...UNCLASSIFIED_CONTENT, change: undescribed(), isCut: true });

function undescribed(): string {
  return JSON.stringify({
    ...replaced(),
    noise: [],
    codes: null,
    image: null,
    isCut: true,
  } satisfies DescribedChange);
}

/** Other bytes of an image are a change, even if the image looks the same (P14). */
export async function imageChanged({ bytes: before }: PageVersion, after: Buffer): Promise<ClassifiedChange> {
  const image = await compareImages(before, after);
  const described: DescribedChange = { ...replaced(), kinds: ['images'], noise: [], codes: null, image };
  return { ...UNCLASSIFIED_CONTENT, change: JSON.stringify(described) };
}

function pageCodes(outline: PageOutline): PageCodes {
  const { letters, levels, average, root } = codesOf(outline);
  return {
    structure: [letters.first.slice(0, MAX_LETTERS), letters.last.slice(0, MAX_LETTERS)],
    levels,
    text: [average.code, root.code],
  };
}
