/** What of an outline is text to a reader: not scripts and style sheets, nor what stands for bytes that were not outlined. */
import type { OutlineNode, PageOutline } from '../core/page-outline.ts';

const UNREAD = new Set(['script', 'style']);

export function isReadable(node: OutlineNode, nodes: readonly OutlineNode[]): boolean {
  if (node.kind !== 'text' || node.level === 0) return false;
  return node.parent < 0 || !UNREAD.has((nodes[node.parent] as OutlineNode).name);
}

/** All of it, with `separator` after each text. */
export function readableText({ nodes }: PageOutline, separator = ''): string {
  let text = '';
  for (const node of nodes) if (isReadable(node, nodes)) text += node.text + separator;
  return text;
}

/** The texts one by one. */
export function readableTexts({ nodes }: PageOutline): string[] {
  const texts: string[] = [];
  for (const node of nodes) if (isReadable(node, nodes)) texts.push(node.text);
  return texts;
}
