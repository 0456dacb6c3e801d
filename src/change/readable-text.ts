/**
 * Selects the text of an outline that a reader sees: no scripts, no style sheets, and no
 * placeholders for bytes that were not outlined.
 */
import type { OutlineNode, PageOutline } from '../core/page/page-outline.ts';

const UNREAD = new Set(['script', 'style']);

export function isReadable(node: OutlineNode, nodes: readonly OutlineNode[]): boolean {
  if (node.kind !== 'text' || node.level === 0) return false;
  return node.parent < 0 || !UNREAD.has((nodes[node.parent] as OutlineNode).name);
}

/** The readable text as one string, with `separator` after each text. */
export function readableText({ nodes }: PageOutline, separator = ''): string {
  let text = '';
  for (const node of nodes) if (isReadable(node, nodes)) text += node.text + separator;
  return text;
}

/** The readable texts as a list. */
export function readableTexts({ nodes }: PageOutline): string[] {
  const texts: string[] = [];
  for (const node of nodes) if (isReadable(node, nodes)) texts.push(node.text);
  return texts;
}
