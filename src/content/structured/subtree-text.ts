/**
 * The text of an element as a reader sees it: runs of white space are one space, blocks begin on a new line, paragraphs
 * and headings after an empty line. Scripts, styles and comments are no text.
 */
import type { PageTree } from '../page-tree.ts';
import type { ReadingLimits } from './reading-limits.ts';

const HIDDEN = new Set(['script', 'style', 'template', 'iframe', 'noembed', 'noframes']);
const NEW_LINE = new Set(
  (
    'address article aside br button caption dd div dt fieldset figcaption footer form header hr li main nav option ' +
    'section table tbody td textarea tfoot th thead tr'
  ).split(' '),
);
const EMPTY_LINE = new Set('blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre title ul'.split(' '));
const SPACE_RUN = /[\t\n\f\r \u00a0]+/g;

export interface SubtreeTextOptions {
  /** Replaces an image in the element by the returned text. */
  readonly imageText?: (image: number) => string;
  /** The text ends soon after this many characters. */
  readonly maxChars?: number;
}

export function subtreeText(
  tree: PageTree,
  root: number,
  limits: ReadingLimits,
  { imageText, maxChars = Number.POSITIVE_INFINITY }: SubtreeTextOptions = {},
): string {
  const end = tree.end(root);
  if (!limits.takeSteps(end - root)) return '';
  const text = new LaidOutText();
  const allowed = Math.min(limits.textLeft, maxChars);
  let left = allowed;
  // The innermost open blocks: after their end, the text continues on a new line.
  const open: number[] = [];
  for (let at = root; at < end && left > 0; ) {
    const node = tree.nodes[at]!;
    while (open.length > 0 && tree.end(open.at(-1)!) <= at) text.breakLine(linesAround(tree.nodes[open.pop()!]!.name));
    if (node.kind === 'text') {
      if (node.level > 0) {
        text.add(node.text.length > left ? node.text.slice(0, left) : node.text);
        left -= node.text.length;
      }
    } else if (node.kind === 'element') {
      if (HIDDEN.has(node.name)) {
        at = tree.end(at);
        continue;
      }
      const lines = linesAround(node.name);
      if (lines > 0 && at > root) {
        text.breakLine(lines);
        open.push(at);
      } else if (imageText !== undefined && node.name === 'img' && at > root) {
        const word = imageText(at);
        text.addWord(word);
        left -= word.length;
      }
    }
    at++;
  }
  limits.spendText(allowed - left);
  return text.text;
}

function linesAround(name: string): number {
  return EMPTY_LINE.has(name) ? 2 : NEW_LINE.has(name) ? 1 : 0;
}

class LaidOutText {
  text = '';
  #lines = 0;
  #isSpaced = false;

  breakLine(lines: number): void {
    if (this.text !== '' && lines > this.#lines) this.#lines = lines;
  }

  addWord(word: string): void {
    if (word === '') return;
    this.#isSpaced = true;
    this.add(word);
    this.#isSpaced = true;
  }

  add(raw: string): void {
    const flat = raw.replace(SPACE_RUN, ' ');
    const starts = flat.charCodeAt(0) === 32;
    const body = flat.trim();
    if (body === '') {
      if (starts) this.#isSpaced = true;
      return;
    }
    if (this.#lines > 0) this.text += this.#lines === 2 ? '\n\n' : '\n';
    else if (this.text !== '' && (starts || this.#isSpaced)) this.text += ' ';
    this.text += body;
    this.#lines = 0;
    this.#isSpaced = flat.length > 1 && flat.charCodeAt(flat.length - 1) === 32;
  }
}
