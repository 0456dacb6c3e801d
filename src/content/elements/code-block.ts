/**
 * Reads a code block: its text with all white space, and its language. The language is written in many ways, on the
 * block itself, on the `<code>` in it or on an element around it.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { KIND } from './element-kinds.ts';
import { HIDDEN, type PageNodes, SHOWN, SPACE } from './page-nodes.ts';

/**
 * `language-js` (HTML standard), `lang-js` (Prettify), `highlight-python` (Sphinx), `highlight-source-js` (GitHub),
 * `source-cpp` and `mw-highlight-lang-cpp` (MediaWiki), `brush: js` (SyntaxHighlighter).
 */
const LANGUAGE_CLASS =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-|mw-highlight-lang-|source-|brush:\s?)([\w+#.-]{1,30})/;
/** The language is a class of its own beside these classes (highlight.js, Pandoc). */
const BESIDE_CLASS = /(?:^|\s)(?:hljs|sourceCode)\s+([\w+#-]{1,30})/;
const LANGUAGE_NAME = /^[\w+#.-]{1,30}$/;
/** Names of styles, not of languages. */
const NO_LANGUAGE = new Set([
  'default',
  'none',
  'text',
  'plain',
  'plaintext',
  'notranslate',
  'code',
  'block',
  'numbers',
]);
const MAX_OUTER_ELEMENTS = 3;

export interface CodeBlock {
  readonly code: string;
  /** '' if the page does not name it. */
  readonly language: string;
}

export function readCodeBlock(page: PageNodes, pre: number): CodeBlock {
  return { code: codeIn(page, pre), language: languageOf(page, pre) };
}

function codeIn({ tree, kinds, marks }: PageNodes, pre: number): string {
  const end = tree.end(pre);
  const parts: string[] = [];
  for (let at = pre + 1; at < end; ) {
    const node = tree.nodes[at] as OutlineNode;
    const mark = marks[at] as number;
    if (mark & HIDDEN || node.level === 0) {
      at = tree.end(at);
      continue;
    }
    if (kinds[at] === KIND.BREAK) parts.push('\n');
    else if (node.kind === 'text' && mark & (SHOWN | SPACE)) parts.push(node.text);
    // Some pages write each line as an element of its own.
    else if (node.kind === 'element' && startsLine(kinds[at] as number) && parts.length > 0) endLine(parts);
    at++;
  }
  return trimLines(parts.join('').replaceAll('\r\n', '\n').replaceAll('\u00a0', ' '));
}

function startsLine(kind: number): boolean {
  return kind === KIND.BLOCK || kind === KIND.ITEM || kind === KIND.ROW;
}

function endLine(parts: string[]): void {
  if (!parts.at(-1)?.endsWith('\n')) parts.push('\n');
}

/** Removes empty lines at the start and all white space at the end. The indent of the first line stays. */
function trimLines(code: string): string {
  let start = 0;
  for (let at = 0; at < code.length && /\s/.test(code[at] as string); at++) if (code[at] === '\n') start = at + 1;
  return code.slice(start).trimEnd();
}

function languageOf({ tree }: PageNodes, pre: number): string {
  const inner = tree.nodes[pre + 1]?.kind === 'text' ? pre + 2 : pre + 1;
  if (tree.nodes[inner]?.name === 'code' && tree.nodes[inner]?.parent === pre) {
    const language = namedBy(tree, inner);
    if (language !== '') return language;
  }
  for (let at = pre, steps = 0; at >= 0 && steps <= MAX_OUTER_ELEMENTS; steps++) {
    const language = namedBy(tree, at);
    if (language !== '') return language;
    at = tree.nodes[at]?.parent ?? -1;
  }
  return '';
}

function namedBy(tree: PageNodes['tree'], at: number): string {
  for (const attribute of ['data-lang', 'data-language']) {
    const value = tree.attribute(at, attribute);
    if (value !== null && LANGUAGE_NAME.test(value) && !NO_LANGUAGE.has(value)) return value.toLowerCase();
  }
  const names = tree.attribute(at, 'class');
  if (names === null || names.length > 500) return '';
  const name = (LANGUAGE_CLASS.exec(names) ?? BESIDE_CLASS.exec(names))?.[1]?.toLowerCase() ?? '';
  return NO_LANGUAGE.has(name) ? '' : name;
}
