/**
 * The pages of the benchmark and what is true about them. truth.json names the elements that hold the main content of
 * each page, in the selectors of template-sites/selectors.ts. Somebody looked at each page and wrote them by hand before
 * any extraction of the page was seen. It has no content of the pages.
 *
 * The policy: documentation is the title, text, code and tables of a page, without tables of contents, links to other
 * pages and the date. A forum is the title of a thread and the text of its posts with what they quote, without the
 * names, numbers and signatures of the authors; a page that lists threads counts as their rows. A shop is the name,
 * price, description, properties and reviews of a product, without other products, delivery, payment and buttons. A
 * listing is its title, its items with all that each item shows, and a description of the category, without filters,
 * page numbers and text about the whole site.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { unpackPackage } from '../site/debian-package.ts';
import { type Element, type Selector, selectorOf } from '../template-sites/selectors.ts';

export const SITE_KINDS = ['documentation', 'forum', 'shop', 'listing'] as const;
export type SiteKind = (typeof SITE_KINDS)[number];

export interface SitePage {
  readonly kind: SiteKind;
  /** A package of Debian, or the owner and name of a public repository. */
  readonly source: string;
  readonly path: string;
  /** Selectors, separated by commas. */
  readonly include: string;
  readonly exclude?: string;
  /** No rule was made from this page. */
  readonly heldBack?: true;
}

interface Truth {
  readonly sources: Record<string, { readonly version?: string; readonly commit?: string }>;
  readonly pages: readonly SitePage[];
}

export const TRUTH = JSON.parse(readFileSync(join(import.meta.dirname, 'truth.json'), 'utf8')) as Truth;

/** The bytes of a page, or null if its repository is not in the folder. Packages are downloaded when needed. */
export async function readPage(page: SitePage, workFolder: string, repositories?: string): Promise<Buffer | null> {
  const isPackage = TRUTH.sources[page.source]?.version !== undefined;
  if (!isPackage && repositories === undefined) return null;
  const folder = isPackage ? await unpackPackage(workFolder, page.source) : join(repositories!, page.source);
  const path = join(folder, page.path);
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

const INVISIBLE = new Set(
  'script style noscript svg template head iframe button select option input textarea'.split(' '),
);
const INLINE = new Set(
  'a abbr b bdi cite code em font i kbd label mark q s small span strong sub sup tt u var'.split(' '),
);

type Node = DefaultTreeAdapterTypes.ChildNode;

/** The text of the elements that a page includes, without those that it excludes. */
export function trueText(bytes: Buffer, { include, exclude = '' }: SitePage): string {
  const [isIncluded, isExcluded] = [anyOf(include), anyOf(exclude)];
  const parts: string[] = [];
  const collect = (node: Node, isInside: boolean): void => {
    if (node.nodeName === '#text' && 'value' in node && isInside) parts.push(node.value);
    if (!('tagName' in node) || INVISIBLE.has(node.tagName) || isExcluded(node)) return;
    const counts = isInside || isIncluded(node);
    const isBlock = !INLINE.has(node.tagName);
    if (isBlock) parts.push('\n');
    for (const child of node.childNodes) collect(child, counts);
    if (isBlock) parts.push('\n');
  };
  for (const child of parse(decoded(bytes), { scriptingEnabled: false }).childNodes) collect(child, false);
  return parts.join('');
}

/** Commas inside parentheses belong to the selector. */
function anyOf(list: string): Selector {
  const selectors = list.match(/(?:[^,(]|\([^)]*\))+/g)?.map((text) => selectorOf(text.trim())) ?? [];
  return (element: Element) => selectors.some((selector) => selector(element));
}

/** The text of a page by the encoding that its markup names. */
function decoded(bytes: Buffer): string {
  const name = /charset=["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, 4_096))?.[1];
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
