/** The classes of an element as microformats 2 reads them: the types of a root, and the properties by their kind. */
import type { PageTree } from '../../page-tree.ts';
import { splitWords } from '../structured-item.ts';
import { type ClassicRule, classicRule } from './classic-rules.ts';

export type PropertyKind = 'p' | 'u' | 'dt' | 'e';

export interface FormatClasses {
  /** `h-entry` … Empty if the element is no root. */
  readonly roots: readonly string[];
  /** The rules of the classic roots. Empty if the element is a root of microformats 2, or none. */
  readonly classic: readonly ClassicRule[];
  /** True if the properties that are not written are implied. Purely classic items have no implied properties. */
  readonly hasImplied: boolean;
  readonly properties: readonly { readonly kind: PropertyKind; readonly name: string }[];
}

const FORMAT_CLASS = /^(p|u|dt|e|h)-(?:[a-z0-9]+-)?[a-z]+(?:-[a-z]+)*$/;
/** Heights in a style library: `h-full` is no microformat. */
const HEIGHTS = new Set('h-auto h-fit h-full h-max h-min h-px h-screen h-svh h-lvh h-dvh h-lh'.split(' '));

const NONE: FormatClasses = { roots: [], classic: [], hasImplied: true, properties: [] };

/**
 * The parameter `rules` has those of the classic item around the element. In such an item, the properties of
 * microformats 2 do not count.
 */
export function formatClasses(tree: PageTree, node: number, rules: readonly ClassicRule[]): FormatClasses {
  const classText = tree.attribute(node, 'class');
  if (classText === null && rules.length === 0) return NONE;
  const written = splitWords(classText);
  const all =
    rules.length === 0
      ? written
      : [...written.filter((word) => !isProperty(word)), ...mapped(tree, node, written, rules)];
  const roots: string[] = [];
  const classic: ClassicRule[] = [];
  const properties: { kind: PropertyKind; name: string }[] = [];
  for (const word of new Set(all)) {
    const kind = kindOf(word);
    if (kind === 'h') roots.push(word);
    else if (kind !== null) properties.push({ kind, name: word.slice(kind.length + 1) });
    else {
      const rule = classicRule(word);
      if (rule !== undefined) classic.push(rule);
    }
  }
  const isModern = written.some((word) => kindOf(word) === 'h');
  if (isModern || classic.length === 0) return { roots: roots.sort(), classic: [], hasImplied: true, properties };
  // A classic root inside a classic item: its own rules say which types it has.
  const types = new Set([...roots, ...classic.flatMap((rule) => rule.types)]);
  return { roots: [...types].sort(), classic, hasImplied: roots.length > 0, properties };
}

function mapped(tree: PageTree, node: number, written: readonly string[], rules: readonly ClassicRule[]): string[] {
  const added: string[] = [];
  const rels = splitWords(tree.attribute(node, 'rel'));
  for (const { classes, rels: relRules } of rules) {
    for (const [old, now] of classes) if (old.every((word) => written.includes(word))) added.push(...now);
    for (const [old, now] of relRules) {
      if (!old.includes('tag') && old.every((word) => rels.includes(word))) added.push(now);
    }
  }
  return added;
}

/** True if `rel="tag"` makes the link a category of the classic item around it. */
export function isTagLink(tree: PageTree, node: number, rules: readonly ClassicRule[]): boolean {
  if (!rules.some((rule) => rule.rels.some(([old]) => old.includes('tag')))) return false;
  return splitWords(tree.attribute(node, 'rel')).includes('tag');
}

function isProperty(word: string): boolean {
  const kind = kindOf(word);
  return kind !== null && kind !== 'h';
}

function kindOf(word: string): PropertyKind | 'h' | null {
  const match = FORMAT_CLASS.exec(word);
  if (match === null || HEIGHTS.has(word)) return null;
  return match[1] as PropertyKind | 'h';
}
