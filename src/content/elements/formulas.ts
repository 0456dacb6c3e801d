/**
 * Finds the TeX source of a formula. Known forms: MathML with an annotation or `alttext` (KaTeX, Wikipedia, LaTeXML),
 * scripts of MathJax, elements of the class `math` with raw TeX (Sphinx, Pandoc), and pictures whose `alt` is TeX
 * (LaTeX2HTML, Sphinx, MediaWiki). MathML without a source is converted (mathml.ts).
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import type { PageTree } from '../page-tree.ts';
import { KIND } from './element-kinds.ts';
import { texOfMathml } from './mathml.ts';

export interface Formula {
  readonly tex: string;
  /** True for a formula on lines of its own. */
  readonly isBlock: boolean;
}

const MAX_TEX_CHARS = 20_000;
const MATH_CLASS = /(?:^|\s)math(?:\s|$)/;
const IMAGE_CLASS = /(?:^|\s)(?:math|tex|mwe-math-fallback\S*)(?:\s|$)/;
const BLOCK_CLASS = /katex-display|mwe-math-mathml-display|MathJax_Display/;
const BLOCK_START = /^(?:\$\$|\\\[|\\begin\{(?:displaymath|equation|align|eqnarray|gather|multline))/;

export function formulaOf(tree: PageTree, at: number, kind: number): Formula | null {
  switch (kind) {
    case KIND.MATH:
      return formulaOfMath(tree, at);
    case KIND.SCRIPT:
      return formulaOfScript(tree, at);
    case KIND.IMAGE:
      return formulaOfImage(tree, at);
    case KIND.INLINE:
    case KIND.BLOCK:
      return formulaOfText(tree, at, kind === KIND.BLOCK);
    default:
      return null;
  }
}

function formulaOfMath(tree: PageTree, at: number): Formula | null {
  const isBlock = tree.attribute(at, 'display') === 'block' || isInBlock(tree, at);
  const end = tree.end(at);
  for (let i = at + 1; i < end; i++) {
    const isSource = tree.nodes[i]?.name === 'annotation' && tree.attribute(i, 'encoding')?.includes('tex');
    if (isSource) return madeOf(textIn(tree, i), isBlock);
  }
  return madeOf(tree.attribute(at, 'alttext') ?? '', isBlock) ?? madeOf(texOfMathml(tree, at, MAX_TEX_CHARS), isBlock);
}

/** KaTeX and Wikipedia say it in the class of an element around the formula. */
function isInBlock(tree: PageTree, at: number): boolean {
  let outer = tree.nodes[at]?.parent ?? -1;
  for (let steps = 0; steps < 3 && outer >= 0; steps++) {
    if (BLOCK_CLASS.test(tree.attribute(outer, 'class') ?? '')) return true;
    outer = tree.nodes[outer]?.parent ?? -1;
  }
  return false;
}

function formulaOfScript(tree: PageTree, at: number): Formula | null {
  const type = tree.attribute(at, 'type');
  if (!type?.startsWith('math/tex')) return null;
  return madeOf(textIn(tree, at), type.includes('mode=display'));
}

function formulaOfImage(tree: PageTree, at: number): Formula | null {
  const alt = tree.attribute(at, 'alt')?.trim();
  if (!alt || alt.length < 2) return null;
  const isSource = IMAGE_CLASS.test(tree.attribute(at, 'class') ?? '');
  const isTex = (alt.startsWith('$') && alt.endsWith('$')) || alt.startsWith('\\begin{');
  return isSource || isTex ? madeOf(alt, false) : null;
}

function formulaOfText(tree: PageTree, at: number, isBlock: boolean): Formula | null {
  const { attributes } = tree.nodes[at] as OutlineNode;
  if (attributes.length === 0 || tree.end(at) > at + 3 || !MATH_CLASS.test(tree.attribute(at, 'class') ?? ''))
    return null;
  const text = textIn(tree, at).trim();
  return text.startsWith('\\(') || text.startsWith('\\[') || text.startsWith('$') ? madeOf(text, isBlock) : null;
}

/** Removes the delimiters. Returns null if there is no source, or too much of it. */
function madeOf(source: string, isBlock: boolean): Formula | null {
  if (source.length > MAX_TEX_CHARS) return null;
  let tex = source.replace(/[\s\u00a0]+/g, ' ').trim();
  const isDisplay = BLOCK_START.test(tex);
  for (const [start, end] of DELIMITERS) {
    if (tex.length <= start.length + end.length || !tex.startsWith(start) || !tex.endsWith(end)) continue;
    tex = tex.slice(start.length, tex.length - end.length).trim();
    break;
  }
  if (tex.startsWith('\\displaystyle ')) tex = tex.slice('\\displaystyle '.length).trim();
  return tex === '' ? null : { tex, isBlock: isBlock || isDisplay };
}

const DELIMITERS = [
  ['$$', '$$'],
  ['$', '$'],
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['\\begin{displaymath}', '\\end{displaymath}'],
  ['{\\displaystyle ', '}'],
  ['{\\textstyle ', '}'],
] as const;

function textIn(tree: PageTree, at: number): string {
  const end = tree.end(at);
  let text = '';
  for (let i = at + 1; i < end && text.length <= MAX_TEX_CHARS; i++) text += tree.nodes[i]?.text ?? '';
  return text;
}
