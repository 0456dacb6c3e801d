/** Facts that only the visible page states: its first heading, its title, its times and the name of its author. */
import type { PageTree } from '../page-tree.ts';
import { ReadingLimits } from '../structured/reading-limits.ts';
import { splitWords } from '../structured/structured-item.ts';
import { subtreeText } from '../structured/subtree-text.ts';

/** A link to the heading itself, which documentation shows behind it. */
const ANCHOR_SIGN = /\s?[¶#§🔗⚓∞\uf0c1]$/u;

export interface VisibleFacts {
  readonly title?: string;
  readonly heading?: string;
  readonly author?: string;
  readonly byline?: string;
  readonly time?: string;
  readonly language?: string;
  /** `<meta name>` and `<meta http-equiv>` in lower case. */
  readonly metas: ReadonlyMap<string, string>;
  readonly imageLink?: string;
}

const BYLINE = /(?:^|[\s_-])(?:byline|author|authors|author-name|authorname|posted-by|written-by)(?:$|[\s_-])/i;
const NO_BYLINE = /(?:bio|box|avatar|image|img|photo|social|list|info|wrap|card|comment|related)/i;
const PUBLISHED_TIME = /publi|date|posted|time/i;
const MAX_BYLINE = 100;
/** More than a fact keeps, because white space is folded afterwards. */
const MAX_TEXT = 10_000;

export function readVisibleFacts(tree: PageTree): VisibleFacts {
  const facts: { -readonly [key in keyof VisibleFacts]: VisibleFacts[key] } = { metas: new Map() };
  const metas = facts.metas as Map<string, string>;
  const limits = new ReadingLimits();
  const textOf = (node: number): string => subtreeText(tree, node, limits, { maxChars: MAX_TEXT }).replace(/\s+/g, ' ');
  for (let at = 0; at < tree.nodes.length; at++) {
    const { kind, name } = tree.nodes[at]!;
    if (kind !== 'element') continue;
    if (name === 'meta') noteMeta(tree, at, metas);
    else if (name === 'html') facts.language ??= languageOf(tree, at);
    // An svg has titles too. The first title is that of the page.
    else if (name === 'title') facts.title ??= textOf(at) || undefined;
    else if (name === 'h1') facts.heading ??= textOf(at).replace(ANCHOR_SIGN, '') || undefined;
    else if (name === 'time') facts.time ??= timeOf(tree, at);
    else if (name === 'link') {
      if (tree.attribute(at, 'rel') === 'image_src') facts.imageLink ??= tree.attribute(at, 'href') ?? undefined;
    } else noteAuthor(tree, at, facts, textOf);
  }
  return facts;
}

function noteMeta(tree: PageTree, node: number, metas: Map<string, string>): void {
  const name = tree.attribute(node, 'name') ?? tree.attribute(node, 'http-equiv');
  const content = tree.attribute(node, 'content');
  if (name === null || content === null || content.trim() === '') return;
  const key = name.trim().toLowerCase();
  if (!metas.has(key)) metas.set(key, content);
}

function languageOf(tree: PageTree, node: number): string | undefined {
  return (tree.attribute(node, 'lang') ?? tree.attribute(node, 'xml:lang'))?.trim() || undefined;
}

/** A time that a comment or a related article has comes later, so the first one counts. */
function timeOf(tree: PageTree, node: number): string | undefined {
  const stated = tree.attribute(node, 'datetime') ?? tree.nodes[node + 1]?.text ?? '';
  return PUBLISHED_TIME.test(stated) || /\d{4}/.test(stated) ? stated : undefined;
}

function noteAuthor(
  tree: PageTree,
  node: number,
  facts: { author?: string; byline?: string },
  textOf: (node: number) => string,
): void {
  if (facts.author !== undefined) return;
  const rel = tree.attribute(node, 'rel');
  if (rel !== null && splitWords(rel).includes('author')) facts.author = shortText(textOf(node));
  if (facts.byline !== undefined) return;
  const className = tree.attribute(node, 'class');
  if (className === null || !BYLINE.test(className) || NO_BYLINE.test(className)) return;
  if (tree.end(node) - node <= 40) facts.byline = shortText(textOf(node));
}

function shortText(text: string): string | undefined {
  return text !== '' && text.length <= MAX_BYLINE ? text : undefined;
}
