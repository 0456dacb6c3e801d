/**
 * Says whether a region of a page may belong to its own content, which is never ignored. In: a page and one of its
 * regions. Out: `own`, `beside` (the region stands beside the content), or `unclear`.
 *
 * A site writes its pages, so nothing that a page says about itself makes a region noise. The rule is one-sided: each
 * of these makes a region own content, wherever it stands and whatever it is called:
 * - a price, a percentage, a measure, a date, or a word about things for which readers wait, pay or decide;
 * - a number that is not that of a counter of visitors or the like (region-kinds.ts);
 * - a mail address, a telephone number in a link, or a copyright;
 * - a heading of the first level, a table, a form control, a quotation, code, or microdata;
 * - a text that the title or the content of the page has too;
 * - prose, or a large part of the text of the page;
 * - a place in `main` or `article`, unless `aside` or `nav` is between or it has only links.
 *
 * What always holds: the time is linear, and nothing throws.
 */
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import { concernsReaders, textKind } from '../noise/learned/region-kinds.ts';
import { contextOf } from '../noise/learned/volatile-path.ts';
import { type PageRegion, type PageRegions, shownText } from './page-regions.ts';

export type Ownership = 'own' | 'unclear' | 'beside';

/** Whether a line is part of the template of the host. */
export type TemplateTest = (line: string) => boolean;

const CONTENT = 1;
const BESIDE = 2;
const KEPT = 4;
const LINK = 8;
const EDGE = 16;
const TITLE = 32;

const CONTENT_NAMES: ReadonlySet<string> = new Set(['main', 'article']);
const BESIDE_NAMES: ReadonlySet<string> = new Set(['aside', 'nav']);
/** At the edge of the page. In an article they are parts of the article. */
const EDGE_NAMES: ReadonlySet<string> = new Set(['header', 'footer']);
const KEPT_NAMES: ReadonlySet<string> = new Set(
  `h1 title table caption select option textarea input button label time meter data output address dl blockquote q
   code pre video audio object embed`.split(/\s+/),
);
const SLOT =
  /(?:^|[-_. >#])(?:related|recommend\w*|similar|popular|trending|most[-_](?:read|viewed|popular)|teasers?|promos?|rotator|carousel|slider|ads?|advert\w*|banner|sponsor\w*|sidebar|widget|counter|visitors?|ticker)(?=$|[-_. >#])/i;

/** Who is behind the page, and how to reach them. */
const CONTACT = /^href=(?:mailto|tel):|\w@\w|©|\(c\)|\bcopyright\b/i;
/** Attributes that say something to a reader. */
const SAID = /^(?:alt|title|aria-label|placeholder|label|value|datetime)=/;

const MAX_REGION_CHARS = 600;
/** So many characters outside links are a sentence, not a caption. */
const MAX_LOOSE_CHARS = 160;
/** The largest part of the text of a page, if the page says where its content is, and if it does not. */
const MAX_SHARE_BESIDE = 0.6;
const MAX_SHARE = 1 / 3;
/** A shorter text, such as "Home" or "Next", occurs in many places by chance. */
const MIN_OWN_CHARS = 6;
const MIN_OWN_WORDS = 2;
/** A hostile page has many regions and a long content. What cannot be searched any more counts as own content. */
const MAX_SEARCHED_CHARS = 20_000_000;

export class OwnContent {
  readonly #nodes: readonly OutlineNode[];
  readonly #bits: Uint8Array;
  readonly #isTemplate: TemplateTest;
  #hasContent = false;
  #chars = 0;
  #searchedChars = 0;
  #told: { readonly all: string; readonly whole: ReadonlySet<string> } | null = null;

  constructor({ nodes }: PageOutline, { regionOf }: PageRegions, isTemplate: TemplateTest = () => false) {
    this.#nodes = nodes;
    this.#isTemplate = isTemplate;
    this.#bits = new Uint8Array(nodes.length);
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as OutlineNode;
      const above = node.parent < 0 ? 0 : (this.#bits[node.parent] as number);
      const bits = node.kind === 'element' ? bitsBelow(above, node) : above;
      this.#bits[at] = bits;
      if ((bits & CONTENT) !== 0) this.#hasContent = true;
      if (node.kind === 'text' && regionOf[at] !== -1) this.#chars += node.text.length;
    }
  }

  of(region: PageRegion): Ownership {
    const { name } = this.#nodes[region.place] as OutlineNode;
    if (name === 'html' || name === 'body' || CONTENT_NAMES.has(name)) return 'own';
    let chars = 0;
    let loose = 0;
    for (const at of region.nodes) {
      const node = this.#nodes[at] as OutlineNode;
      const bits = this.#bits[at] as number;
      if ((bits & KEPT) !== 0) return 'own';
      if (node.kind !== 'text') continue;
      const text = shownText(node.text);
      chars += text.length;
      if ((bits & LINK) === 0) loose += text.length;
      if (this.#isOwnText(at, text, (bits & LINK) !== 0)) return 'own';
    }
    if (chars > MAX_REGION_CHARS || loose > MAX_LOOSE_CHARS) return 'own';
    if (chars > this.#chars * (this.#hasContent ? MAX_SHARE_BESIDE : MAX_SHARE)) return 'own';
    // Alternative texts and tooltips say something too.
    if (region.items.some((item) => CONTACT.test(item))) return 'own';
    if (region.items.some((item) => SAID.test(item) && concernsReaders(item, true))) return 'own';
    const bits = this.#bits[region.place] as number;
    if ((bits & BESIDE) !== 0) return 'beside';
    if ((bits & CONTENT) !== 0) return loose > 0 ? 'own' : 'unclear';
    const isOutside = this.#hasContent || (bits & EDGE) !== 0 || SLOT.test(region.path);
    return isOutside ? 'beside' : 'unclear';
  }

  #isOwnText(at: number, text: string, isLink: boolean): boolean {
    if (concernsReaders(text, isLink)) return true;
    const { parent } = this.#nodes[at] as OutlineNode;
    if (/\p{N}/u.test(text) && !isLink && textKind(text, contextOf(this.#nodes, parent)) === null) return true;
    if (text.length < MIN_OWN_CHARS) return false;
    this.#told ??= this.#ownTexts();
    const { all, whole } = this.#told;
    if (whole.has(text)) return true;
    if (text.split(' ').length < MIN_OWN_WORDS) return false;
    this.#searchedChars += all.length;
    return this.#searchedChars > MAX_SEARCHED_CHARS || all.includes(text);
  }

  /** The title and first heading, and the text in `main` and `article` that is not in a list of links. */
  #ownTexts(): { all: string; whole: ReadonlySet<string> } {
    const texts: string[] = [];
    for (const [at, { kind, text, parent }] of this.#nodes.entries()) {
      if (kind !== 'text' || parent < 0) continue;
      const bits = this.#bits[at] as number;
      const isTitle = (bits & TITLE) !== 0;
      const isContent = (bits & (CONTENT | BESIDE | LINK)) === CONTENT;
      if (!isTitle && !isContent) continue;
      const shown = shownText(text);
      if (shown !== '' && (isTitle || !this.#isTemplate(shown))) texts.push(shown);
    }
    return { all: texts.join('\n'), whole: new Set(texts) };
  }

  /** Whether everything to read in a region is in links. */
  hasOnlyLinks(region: PageRegion): boolean {
    return region.nodes.every((at) => {
      const { kind, text } = this.#nodes[at] as OutlineNode;
      return kind !== 'text' || text.trim() === '' || ((this.#bits[at] as number) & LINK) !== 0;
    });
  }
}

function bitsBelow(above: number, { name, attributes }: OutlineNode): number {
  let role = '';
  let isKept = KEPT_NAMES.has(name);
  for (let at = 0; at < attributes.length; at += 2) {
    const attribute = attributes[at];
    if (attribute === 'role') role ||= attributes[at + 1] as string;
    else if (attribute === 'itemprop' || attribute === 'property') isKept = true;
  }
  let bits = isKept ? above | KEPT : above;
  if (CONTENT_NAMES.has(name) || role === 'main' || role === 'article') bits = (bits | CONTENT) & ~(BESIDE | EDGE);
  else if (BESIDE_NAMES.has(name) || role === 'complementary' || role === 'navigation') bits |= BESIDE;
  else if (EDGE_NAMES.has(name) && (bits & CONTENT) === 0) bits |= EDGE;
  if (name === 'a') return bits | LINK;
  return name === 'title' || name === 'h1' ? bits | TITLE : bits;
}
