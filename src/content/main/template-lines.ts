/** Joins the extraction with the learned template of the host, which marks lines of text. */
import type { PageTree } from '../page-tree.ts';
import { LineWriter } from './main-text.ts';
import type { PageMeasures } from './measure-page.ts';

/** A block is template if at least this share of its text is in template lines. */
const LEAST_MARKED = 0.9;

/**
 * Makes a test for template lines from the blocks of one page and the marks of its template. Only letters are compared,
 * because the words of a template are collected without numbers and with other white space.
 */
export function templateTest(texts: readonly string[], marks: Uint8Array): (line: string) => boolean {
  const known = new Set<string>();
  for (let i = 0; i < texts.length; i++) if (marks[i] === 1) known.add(lettersOf(texts[i] as string));
  for (let i = 0; i < texts.length; i++) if (marks[i] !== 1) known.delete(lettersOf(texts[i] as string));
  known.delete('');
  return (line) => known.has(lettersOf(line));
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}]+/gu, '');
}

/** Marks the blocks that are template. Their text counts as text that is not content. */
export function markTemplate(tree: PageTree, page: PageMeasures, isTemplate: (line: string) => boolean): void {
  const marked = new Map<number, number>();
  const all = new Map<number, number>();
  const writer = new LineWriter(tree, page, (line, owner) => {
    all.set(owner, (all.get(owner) ?? 0) + line.length);
    if (isTemplate(line)) marked.set(owner, (marked.get(owner) ?? 0) + line.length);
  });
  for (let at = 0; at < tree.nodes.length; at++) writer.add(at);
  writer.end();
  for (const [owner, length] of marked) {
    if (owner < 0 || length < LEAST_MARKED * (all.get(owner) ?? 0)) continue;
    page.isTemplate[owner] = 1;
    page.weight[owner] = 0;
  }
}
