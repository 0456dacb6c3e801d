/**
 * Collects the visible text of a page for a search index: its blocks with their roles, and its links with their texts.
 *
 * In: the same calls as for WordCollector. Out: after `read`, the texts of the blocks in the order of the page.
 *
 * What always holds: the blocks without `isBeside` are the blocks that WordCollector counts, in the same order, so the
 * marks of a template fit them. The text is copied once and decoded once: BlockCollector, which joins strings, took
 * four times as long. A word that goes on in the next element (`<b>W</b>ord`) is one word.
 */
import { WordCollector } from './collect-words.ts';

/** Text after this limit is left out, and so are further links. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 256 * 1024;
const MAX_LINKS = 5_000;
/** Further blocks beside the content are left out. The content has a limit of its own. */
const MAX_BESIDE_BLOCKS = 20_000;
/** A longer heading was never closed. */
const MAX_HEADING_BYTES = 400;
const SPACE = 32;
const LINE_FEED = 10;
const LESS = 60;
const GREATER = 62;
const SLASH = 47;
/** A longer tag between two texts does not join them. */
const MAX_JOINT_BYTES = 200;
const NO_BREAK_SPACE = 0xa0;
const SOFT_HYPHEN = 0xad;

/** Elements that may begin or end inside a word. */
const IN_WORDS: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var wbr'.split(
    ' ',
  ),
);

export interface PageBlock {
  readonly text: string;
  /** In a navigation, a header, a footer or an aside. */
  readonly isBeside: boolean;
  readonly isHeading: boolean;
}

export interface TextLink {
  /** As written. */
  readonly href: string;
  readonly isNofollow: boolean;
  /** The index of its block. */
  readonly block: number;
  readonly text: string;
}

interface FoundLink {
  readonly href: string;
  readonly isNofollow: boolean;
  readonly block: number;
  readonly from: number;
  to: number;
}

export class PageTextCollector extends WordCollector {
  #out: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  /** Where the open block begins, and whether it has text of the content, or only text beside it. */
  #blockStart = 0;
  #hasOwnText = false;
  #isBeside = false;
  #isInvisible = false;
  #isHeading = false;
  #besideBlocks = 0;
  /** Whether the text that is added now has begun, and where the text before it ended in the document. */
  #isTextOpen = false;
  #lastTo = -1;
  readonly #kinds: number[] = [];
  readonly #links: FoundLink[] = [];
  #openLink: FoundLink | null = null;

  override clear(): void {
    super.clear();
    this.#length = 0;
    this.#blockStart = 0;
    this.#hasOwnText = false;
    this.#isBeside = false;
    this.#isInvisible = false;
    this.#isHeading = false;
    this.#besideBlocks = 0;
    this.#isTextOpen = false;
    this.#lastTo = -1;
    this.#kinds.length = 0;
    this.#links.length = 0;
    this.#openLink = null;
  }

  override get wantsHeadings(): boolean {
    return true;
  }

  override setBeside(isBeside: boolean): void {
    super.setBeside(isBeside);
    this.#isBeside = isBeside;
  }

  override setInvisible(isInvisible: boolean): void {
    this.#isInvisible = isInvisible;
  }

  override startHeading(): void {
    this.#isHeading = true;
  }

  override endHeading(): void {
    this.#isHeading = false;
  }

  override startLink(href: string | null = null, isNofollow = false): void {
    super.startLink();
    this.#closeLink();
    if (href === null || this.#isInvisible || this.#links.length >= MAX_LINKS) return;
    this.#openLink = { href, isNofollow, block: this.#kinds.length, from: this.#length, to: 0 };
  }

  override endLink(): void {
    super.endLink();
    this.#closeLink();
  }

  #closeLink(): void {
    const link = this.#openLink;
    this.#openLink = null;
    // A link around several blocks has no text that describes its target.
    if (link === null || link.block !== this.#kinds.length || link.from === this.#length) return;
    link.to = this.#length;
    this.#links.push(link);
  }

  override add(from: number, to: number): void {
    super.add(from, to);
    if (this.#isInvisible) return;
    this.#copy(this.document, from, to, true);
    this.#lastTo = to;
  }

  override addPart(bytes: Buffer, from: number, to: number): void {
    super.addPart(bytes, from, to);
    if (!this.#isInvisible) this.#copy(bytes, from, to, bytes === this.document);
  }

  override addGap(character: Buffer): void {
    if (this.#isInvisible) return;
    const isLatin = character.length === 2 && character[0] === 0xc2;
    if (isLatin && character[1] === SOFT_HYPHEN) return;
    if (isLatin && character[1] === NO_BREAK_SPACE) this.#space();
    else this.#copy(character, 0, character.length, false);
  }

  override endText(): void {
    this.#isTextOpen = false;
  }

  #copy(bytes: Buffer, from: number, to: number, isSource: boolean): void {
    if (!this.#isTextOpen) {
      this.#isTextOpen = true;
      if (this.#lastTo >= 0 && !(isSource && this.#isJoint(this.#lastTo, from))) this.#space();
      if (!this.#isBeside) this.#hasOwnText = true;
    }
    if (this.#length + (to - from) > MAX_TEXT_BYTES) return;
    this.#makeRoom(to - from);
    const out = this.#out;
    let at = this.#length;
    let isSpace = at === this.#blockStart || out[at - 1] === SPACE;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      if (byte > SPACE) {
        out[at++] = byte;
        isSpace = false;
      } else if (!isSpace) {
        out[at++] = SPACE;
        isSpace = true;
      }
    }
    this.#length = at;
  }

  #space(): void {
    const at = this.#length;
    if (at === this.#blockStart || this.#out[at - 1] === SPACE) return;
    this.#makeRoom(1);
    this.#out[this.#length++] = SPACE;
  }

  /** Makes room for these bytes, and for a space and the end of the block. */
  #makeRoom(bytes: number): void {
    const wanted = this.#length + bytes + 2;
    if (wanted <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(2 * wanted);
    this.#out.copy(larger, 0, 0, this.#length);
    this.#out = larger;
  }

  /** Whether only one tag, of an element inside words, is between two texts. */
  #isJoint(from: number, to: number): boolean {
    const { document } = this;
    if (to - from > MAX_JOINT_BYTES || document[from] !== LESS || document[to - 1] !== GREATER) return false;
    const nameStart = document[from + 1] === SLASH ? from + 2 : from + 1;
    let nameEnd = nameStart;
    while (nameEnd < to && isLetter(document[nameEnd] as number)) nameEnd++;
    for (let at = nameEnd; at < to - 1; at++) if (document[at] === LESS || document[at] === GREATER) return false;
    return IN_WORDS.has(document.toString('latin1', nameStart, nameEnd).toLowerCase());
  }

  override endBlock(): void {
    const { blocks } = this;
    super.endBlock();
    this.#lastTo = -1;
    if (this.#length === this.#blockStart && !this.#hasOwnText) return;
    // The words are formed here, because they decide whether this is a block.
    if (this.#hasOwnText) this.finish();
    const isHeading = this.#isHeading && this.#length - this.#blockStart <= MAX_HEADING_BYTES;
    const isLeftOut = this.#hasOwnText ? this.blocks === blocks : ++this.#besideBlocks > MAX_BESIDE_BLOCKS;
    if (isLeftOut) {
      // It may be text without a word, such as a row of stars.
      this.#length = this.#blockStart;
    } else {
      this.#kinds.push((this.#hasOwnText ? 0 : BESIDE) | (isHeading ? HEADING : 0));
      this.#makeRoom(1);
      this.#out[this.#length++] = LINE_FEED;
      this.#blockStart = this.#length;
      this.#isHeading = false;
    }
    this.#hasOwnText = false;
  }

  /** The blocks of the page that was parsed last. */
  get pageBlocks(): readonly PageBlock[] {
    const kinds = this.#kinds;
    if (kinds.length === 0) return [];
    const texts = this.#out.toString('utf8', 0, this.#blockStart - 1).split('\n');
    return kinds.map((kind, i) => ({
      text: texts[i] as string,
      isBeside: (kind & BESIDE) !== 0,
      isHeading: (kind & HEADING) !== 0,
    }));
  }

  /** The links with text in blocks that `isWanted` accepts. */
  linksIn(isWanted: (block: number) => boolean): readonly TextLink[] {
    const found: TextLink[] = [];
    for (const { href, isNofollow, block, from, to } of this.#links) {
      if (block >= this.#kinds.length || !isWanted(block)) continue;
      const text = this.#out.toString('utf8', from, to).trim();
      if (text !== '') found.push({ href, isNofollow, block, text });
    }
    return found;
  }
}

const BESIDE = 1;
const HEADING = 2;

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 97 && lower <= 122;
}
