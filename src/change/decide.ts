/**
 * Decides whether a page changed, and what the change means for a reader. In: the bytes and the outline of two
 * versions, and a function that removes noise. Out: a verdict, the level of the change and the part that it touches.
 *
 * What always holds: the verdict comes from comparing everything node by node, never from a code (P14). A test checks
 * that the hashes of version-hashes.ts give the same verdict. No difference in bytes goes without a level. The time is
 * linear.
 */
import type { ChangeClass } from '../core/page/change-class.ts';
import type { OutlineNode, PageOutline } from '../core/page/page-outline.ts';
import { isSame } from './align-nodes.ts';
import { contentBetween, levelOfMarkup, type TemplateTests } from './level/level-between.ts';
import type { ChangeVerdict, PageVersion } from './page-change.ts';
import { changedImages } from './version-hashes.ts';

/**
 * Returns an outline without its noise. It may remove nodes and shorten texts, but the `parent` numbers must stay
 * correct.
 */
export type IgnoreNoise = (outline: PageOutline) => PageOutline;

export interface Decision extends Pick<ChangeClass, 'level' | 'part'> {
  readonly verdict: ChangeVerdict;
  /** Both outlines without noise; null if a version has none, or if the bytes are equal. */
  readonly outlines: readonly [was: PageOutline, is: PageOutline] | null;
  /** Nothing in the new version is selected by `within`. */
  readonly isPartMissing: boolean;
  /** The URLs of images that have other bytes than before. */
  readonly images: readonly string[];
}

/** Returns the part of an outline whose changes are content; null if the page has no such part. */
export type SelectPart = (outline: PageOutline) => PageOutline | null;

/** `checkBudget` is called between the steps and may throw. Without `within`, the whole page counts. */
export function decide(
  before: PageVersion,
  after: PageVersion,
  ignoring: IgnoreNoise = (outline) => outline,
  checkBudget: () => void = () => {},
  within: SelectPart = (outline) => outline,
): Decision {
  const images = changedImages(before.images, after.images);
  const areImages = images.length > 0;
  const hasSameBytes = before.bytes.equals(after.bytes);
  const changed = { verdict: 'changed', level: 'content', part: null, images, isPartMissing: false } as const;
  if (hasSameBytes && !areImages) return { ...changed, verdict: 'identical', level: null, outlines: null };
  if (before.outline === null || after.outline === null) return { ...changed, outlines: null };
  const outlines = [ignoring(before.outline), ignoring(after.outline)] as const;
  checkBudget();
  const verdict = areImages || !hasSameNodes(...outlines) ? 'changed' : 'noise';
  if (areImages) return { ...changed, outlines };
  const parts = [within(outlines[0]), within(outlines[1])] as const;
  const content = contentBetween(...parts, () => templatesOf(before, after));
  const classified = content ?? { level: levelOfMarkup(...outlines), part: null };
  return { verdict, ...classified, outlines, images, isPartMissing: parts[1] === null };
}

/** Comments do not count: they are left out whatever the rules are. */
function hasSameNodes({ nodes: was }: PageOutline, { nodes: is }: PageOutline): boolean {
  let other = 0;
  for (const node of was) {
    if (node.kind === 'comment') continue;
    while (is[other]?.kind === 'comment') other++;
    if (other === is.length || !isSame(node, is[other] as OutlineNode)) return false;
    other++;
  }
  while (is[other]?.kind === 'comment') other++;
  return other === is.length;
}

function templatesOf(
  { templateTest: before }: PageVersion,
  { templateTest: after }: PageVersion,
): TemplateTests | null {
  return before === undefined || after === undefined ? null : { before: before(), after: after() };
}
