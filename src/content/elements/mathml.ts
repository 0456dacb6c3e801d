/**
 * Converts MathML without a TeX source to TeX. Covers the elements that formulas on the web consist of; of others, the
 * text remains. One pass in document order with a stack, no recursion.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import type { PageTree } from '../page-tree.ts';

interface OpenElement {
  readonly name: string;
  readonly end: number;
  readonly parts: string[];
}

/** Formulas are shallow. In a deeper one, the elements below this depth count as their text. */
const MAX_DEPTH = 64;

export function texOfMathml(tree: PageTree, math: number, maxChars: number): string {
  const stack: OpenElement[] = [{ name: 'math', end: tree.end(math), parts: [] }];
  let chars = 0;
  for (let at = math + 1; at <= tree.end(math); at++) {
    while (stack.length > 1 && at >= (stack.at(-1) as OpenElement).end) {
      const closed = stack.pop() as OpenElement;
      (stack.at(-1) as OpenElement).parts.push(joined(closed));
    }
    if (at === tree.end(math) || chars > maxChars) break;
    const { kind, level, name, text } = tree.nodes[at] as OutlineNode;
    if (level === 0) continue;
    if (kind === 'text' && text.trim() !== '') {
      chars += text.length;
      (stack.at(-1) as OpenElement).parts.push(texOfText(text.trim(), (stack.at(-1) as OpenElement).name));
    } else if (kind === 'element' && stack.length < MAX_DEPTH) stack.push({ name, end: tree.end(at), parts: [] });
  }
  return chars > maxChars ? '' : stack.map(({ parts }) => parts.join(' ')).join(' ');
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['\u2061', ''],
  ['\u2062', ''],
  ['\u2063', ''],
  ['∑', '\\sum'],
  ['∏', '\\prod'],
  ['∫', '\\int'],
  ['∞', '\\infty'],
  ['≤', '\\le'],
  ['≥', '\\ge'],
  ['≠', '\\ne'],
  ['→', '\\to'],
  ['∈', '\\in'],
  ['×', '\\times'],
  ['⋅', '\\cdot'],
  ['±', '\\pm'],
  ['−', '-'],
  ['{', '\\{'],
  ['}', '\\}'],
]);

function texOfText(text: string, element: string): string {
  const known = OPERATORS.get(text);
  if (known !== undefined) return known;
  const safe = text.replace(/[\\{}$%#&_^]/g, (sign) => (sign === '\\' ? '\\backslash ' : `\\${sign}`));
  if (element === 'mtext' || element === 'ms') return `\\text{${safe}}`;
  return element === 'mi' && /^[a-z]{2,}$/i.test(text) ? `\\operatorname{${safe}}` : safe;
}

function joined({ name, parts }: OpenElement): string {
  const [a = '', b = '', c = ''] = parts;
  switch (name) {
    case 'msup':
      return `${grouped(a)}^{${b}}`;
    case 'msub':
      return `${grouped(a)}_{${b}}`;
    case 'msubsup':
    case 'munderover':
      return `${grouped(a)}_{${b}}^{${c}}`;
    case 'munder':
      return a.startsWith('\\') ? `${a}_{${b}}` : `\\underset{${b}}{${a}}`;
    case 'mover':
      return `\\overset{${b}}{${a}}`;
    case 'mfrac':
      return `\\frac{${a}}{${b}}`;
    case 'msqrt':
      return `\\sqrt{${parts.join(' ')}}`;
    case 'mroot':
      return `\\sqrt[${b}]{${a}}`;
    case 'mfenced':
      return `(${parts.join(', ')})`;
    case 'mtd':
      return parts.join(' ');
    case 'mtr':
      return parts.join(' & ');
    case 'mtable':
      return `\\begin{matrix}${parts.join(' \\\\ ')}\\end{matrix}`;
    default:
      return parts.join(' ');
  }
}

function grouped(tex: string): string {
  return tex.includes(' ') ? `{${tex}}` : tex;
}
