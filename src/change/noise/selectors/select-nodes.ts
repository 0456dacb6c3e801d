/**
 * Finds the elements of an outline that the selectors match. Every element is checked once per step. As
 * bits, it stores which prefixes of the path it matches itself, and which prefixes it or an ancestor
 * matches. So no page can make a selector slow.
 */
import type { OutlineNode, PageOutline } from '../../../core/page/page-outline.ts';
import type { Selector, SelectorPath, SelectorStep } from './selector.ts';

/** 1 for every node that is selected. */
export function selectNodes(outline: PageOutline, selectors: readonly Selector[]): Uint8Array {
  const selected = new Uint8Array(outline.nodes.length);
  for (const selector of selectors) for (const path of selector.paths) selectPath(outline.nodes, path, selected);
  return selected;
}

function selectPath(nodes: readonly OutlineNode[], path: SelectorPath, selected: Uint8Array): void {
  const last = path.length - 1;
  if (last === 0) {
    for (let at = 0; at < nodes.length; at++) if (matches(nodes[at]!, path[0]!)) selected[at] = 1;
    return;
  }
  const own = new Int32Array(nodes.length);
  const above = new Int32Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (node.kind !== 'element') continue;
    const ownOfParent = node.parent < 0 ? 0 : own[node.parent]!;
    const aboveParent = node.parent < 0 ? 0 : above[node.parent]!;
    let bits = 0;
    for (let step = 0; step <= last; step++) {
      const before = path[step]!.below === 'directly' ? ownOfParent : aboveParent;
      if ((step === 0 || before & (1 << (step - 1))) && matches(node, path[step]!)) bits |= 1 << step;
    }
    own[at] = bits;
    above[at] = aboveParent | bits;
    if (bits & (1 << last)) selected[at] = 1;
  }
}

function matches(node: OutlineNode, step: SelectorStep): boolean {
  if (node.kind !== 'element' || (step.name !== '' && step.name !== node.name)) return false;
  for (const { name, value } of step.attributes) if (!hasAttribute(node, name, value)) return false;
  return step.classes.length === 0 || hasClasses(node, step.classes);
}

function hasAttribute(node: OutlineNode, name: string, value: string | null): boolean {
  for (let at = 0; at < node.attributes.length; at += 2) {
    // If a name occurs several times, the first attribute counts.
    if (node.attributes[at] === name) return value === null || node.attributes[at + 1] === value;
  }
  return false;
}

function hasClasses(node: OutlineNode, classes: readonly string[]): boolean {
  for (let at = 0; at < node.attributes.length; at += 2) {
    if (node.attributes[at] !== 'class') continue;
    const value = node.attributes[at + 1]!;
    return classes.every((name) => hasWord(value, name));
  }
  return false;
}

function hasWord(value: string, word: string): boolean {
  for (let at = value.indexOf(word); at >= 0; at = value.indexOf(word, at + 1)) {
    if (isEdge(value, at - 1) && isEdge(value, at + word.length)) return true;
  }
  return false;
}

function isEdge(value: string, at: number): boolean {
  return at < 0 || at >= value.length || /\s/.test(value[at]!);
}
