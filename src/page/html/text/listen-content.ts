/**
 * Passes text to two collectors: the words of the page (`WordCollector`) and the text around its links. It is
 * separate from listen-text.ts because it costs the scan less: it is told only about the few elements that decide
 * whether text is visible and is content, and where blocks end.
 *
 * Content is the visible text outside `<nav> <header> <footer> <aside>`. Text in svg and math is not content. A
 * `<main>` ends these four elements, in case an end tag is missing. The attribute `hidden` is ignored, because reading
 * the attributes of every tag would cost more than the rest.
 */
import type { DocumentBytes } from '../../encoding/document-bytes.ts';
import { decodeReference, referenceEnd } from '../../encoding/references.ts';
import type { PageLink, ParseOptions } from '../../parsed-page.ts';
import * as names from '../html-names.ts';
import { NextOccurrence } from '../skip-markup.ts';
import { AroundText } from './around-text.ts';
import type { WordCollector } from './collect-words.ts';
import { isGap, isInWord } from './word-gap.ts';

const MAIN = names.TAGS.id('main');
const SPACE = 32;
const AMPERSAND = 38;
const SEMICOLON = 59;
const COPYRIGHT = Buffer.from('©');
const SOFT_HYPHEN = Buffer.from('\u00ad');
/** A longer text is no lone number. */
const MAX_NUMBER_BYTES = 40;
const YEAR_DIGITS = 4;

/** What is directly before a text. */
export const BEFORE_TEXT = { cell: 0, block: 1, inlineStart: 2, inlineEnd: 3, removable: 4 } as const;

export class ContentListener {
  readonly #document: DocumentBytes;
  readonly #words: WordCollector | null;
  readonly #around: AroundText | null;
  readonly #ampersand: NextOccurrence;
  readonly #softHyphen: NextOccurrence;
  readonly #invisible = new Enclosure();
  readonly #beside = new Enclosure();
  /** Elements whose text may be the age of something. */
  readonly #timed = new Enclosure();
  /** The last text of the line, as positions. -1 if the line has none yet. */
  #lastFrom = -1;
  #lastTo = -1;
  #isBeside = false;
  #isInvisible = false;
  /** What is directly before the next text: a number of BEFORE_TEXT. */
  before: number = BEFORE_TEXT.block;
  readonly listening: boolean;
  /** Where the part of the page began that may be one advertisement. */
  #partFrom = 0;
  /** Where the page names a host of advertisements next. */
  #nextAd: number;
  readonly hasAds: boolean;

  constructor(document: DocumentBytes, options: ParseOptions) {
    this.#document = document;
    this.#words = options.words ?? null;
    this.#words?.open(document.bytes);
    this.#around = options.wantAround === true ? new AroundText(document) : null;
    this.#ampersand = new NextOccurrence(document.chars, '&');
    this.#softHyphen = new NextOccurrence(document.chars, SOFT_HYPHEN.toString('latin1'));
    this.listening = this.#words !== null || this.#around !== null;
    this.#nextAd = this.#words?.nextAd(0) ?? document.bytes.length;
    this.hasAds = this.#nextAd < document.bytes.length;
  }

  /** Adds the source text at `from`–`to`. */
  add(from: number, to: number): void {
    if (!this.#invisible.inside) this.#around?.add(from, to);
    if (this.#words !== null) this.#addWords(this.#words, from, to);
  }

  /** Adds the title of the page. It is beside the content. */
  addTitle(from: number, to: number): void {
    const words = this.#words;
    if (words === null) return;
    this.before = BEFORE_TEXT.cell;
    this.endLine();
    if (!this.#isBeside) words.setBeside(true);
    words.setInvisible(true);
    this.#addWords(words, from, to);
    words.setInvisible(this.#isInvisible);
    if (!this.#isBeside) words.setBeside(false);
    this.endLine();
  }

  #addWords(words: WordCollector, from: number, to: number): void {
    const { bytes, chars } = this.#document;
    let start = from;
    // About half of the texts are white space between two tags.
    while (start < to && (bytes[start] as number) <= SPACE) start++;
    if (start === to) {
      if (this.before !== BEFORE_TEXT.removable) this.#lastTo = -1;
      return;
    }
    this.#addHints(words, start, to, start === from);
    // The same word without it is not the same sum of words.
    if (this.#softHyphen.from(start) < to) words.addUnsure(start, to);
    // Most texts have no reference.
    let at = this.#ampersand.from(start);
    if (at < to) {
      const first = start;
      let hasSign = false;
      words.startParts();
      for (; at < to; at = this.#ampersand.from(start)) {
        const end = referenceEnd(bytes, at, to);
        const decoded = decodeReference(chars.slice(at, end));
        if (isGap(decoded)) {
          words.add(start, at);
          words.addGap(decoded);
          hasSign ||= decoded.equals(COPYRIGHT) || decoded.equals(SOFT_HYPHEN);
        } else {
          words.addPart(bytes, start, at);
          words.addPart(decoded, 0, decoded.length);
        }
        start = end;
      }
      words.add(start, to);
      words.endParts(first, to);
      if (hasSign) words.addUnsure(first, to);
    } else words.add(start, to);
    words.endText();
  }

  /**
   * Notes what the words of a text alone do not show: a word that goes on in the next element, a number in an element
   * of its own, and texts that become one text when what is between them is removed.
   */
  #addHints(words: WordCollector, start: number, to: number, isTight: boolean): void {
    const { bytes } = this.#document;
    const { before } = this;
    const first = bytes[start] as number;
    const lastTo = this.#lastTo;
    if (this.#timed.inside) words.addUnsure(start, to);
    else if (before === BEFORE_TEXT.removable && this.#lastFrom >= 0) {
      words.addUnsure(this.#lastFrom, lastTo < 0 ? start : lastTo);
      words.addUnsure(start, to);
    } else {
      if (first >= 48 && first <= 57 && to - start <= MAX_NUMBER_BYTES && before !== BEFORE_TEXT.cell) {
        const isLone = before === BEFORE_TEXT.inlineStart || isNumber(bytes, start, to);
        if (isLone) words.addUnsure(start, to);
      }
      if (isTight && lastTo >= 0 && mayJoin(first) && mayJoin(bytes[lastTo - 1] as number)) {
        // Only the word counts, not the text before it.
        let wordStart = lastTo;
        while (wordStart > this.#lastFrom && mayJoin(bytes[wordStart - 1] as number)) wordStart--;
        let wordEnd = start;
        while (wordEnd < to && mayJoin(bytes[wordEnd] as number)) wordEnd++;
        words.addUnsure(wordStart, lastTo);
        words.addUnsure(start, wordEnd);
      }
    }
    this.#lastFrom = start;
    this.#lastTo = to;
  }

  /** Called at a tag that no advertisement contains. */
  endAds(at: number): void {
    if (this.#nextAd < at) {
      this.#words?.addUnsure(this.#partFrom, at);
      this.#nextAd = this.#words?.nextAd(at) ?? at;
    }
    this.#partFrom = at;
  }

  /** Called for the target of a link, at `from`–`to`. */
  addTarget(from: number, to: number): void {
    if (!this.#invisible.inside) this.#words?.addTarget(from, to);
  }

  /** Called for a part of the document that readers do not see. */
  leaveOut(from: number, to: number): void {
    this.#words?.leaveOut(from, to);
  }

  /** Called at a tag that begins a new line of visible text. */
  endBlock(): void {
    this.#words?.endBlock();
  }

  /** Called at a tag where a line of visible text or a cell begins or ends. */
  endLine(bits = 0, isEnd = true): void {
    // A button is no cell.
    const isCell = (bits & (names.SPACED | names.HIDEABLE)) === names.SPACED;
    if (isCell || bits & names.BLOCK) this.before = isCell && !isEnd ? BEFORE_TEXT.cell : BEFORE_TEXT.block;
    this.#lastFrom = -1;
    this.#lastTo = -1;
  }

  /** Called for a start tag that is INVISIBLE, BESIDE or TIMED. */
  startTag(id: number, bits: number): void {
    if (bits & names.TIMED) this.#timed.open(id);
    else if (bits & names.INVISIBLE) this.#invisible.open(id);
    else if (id === MAIN) this.#beside.leave();
    else this.#beside.open(id);
    this.#update();
  }

  endTag(id: number): void {
    this.#invisible.close(id);
    this.#beside.close(id);
    this.#timed.close(id);
    this.#update();
  }

  startLink(link: PageLink | null): void {
    this.#around?.endLink();
    if (link !== null) this.#around?.startLink(link);
    this.#words?.startLink(link?.href ?? null, link?.nofollow);
  }

  startHeading(): void {
    this.#words?.startHeading();
  }

  endHeading(): void {
    this.#words?.endHeading();
  }

  endLink(): void {
    this.#around?.endLink();
    this.#words?.endLink();
  }

  finish(): void {
    this.#around?.finish();
    if (this.hasAds) this.endAds(this.#document.bytes.length);
    this.#words?.endBlock();
    this.#words?.finish();
  }

  #update(): void {
    if (this.#isInvisible !== this.#invisible.inside) {
      this.#isInvisible = this.#invisible.inside;
      this.#words?.setInvisible(this.#isInvisible);
    }
    // Invisible text may be shown later, and it counts when versions are compared.
    const isBeside = this.#beside.inside || this.#invisible.inside;
    if (this.#isBeside === isBeside) return;
    this.#isBeside = isBeside;
    this.#words?.setBeside(isBeside);
  }
}

/** Whether a word may go on at this byte in another element. A reference may be a letter. */
function mayJoin(byte: number): boolean {
  return isInWord(byte) || byte === AMPERSAND || byte === SEMICOLON;
}

/** Whether a text is only a number of four digits, such as a year. */
function isNumber(bytes: Buffer, from: number, to: number): boolean {
  let end = to;
  while (end > from && (bytes[end - 1] as number) <= SPACE) end--;
  if (end - from !== YEAR_DIGITS) return false;
  for (let at = from; at < end; at++) if ((bytes[at] as number) < 48 || (bytes[at] as number) > 57) return false;
  return true;
}

/**
 * Tracks whether the scan is inside an element of some kind. It stores the outermost such
 * element and how many elements of that name are open.
 */
class Enclosure {
  #by = 0;
  #depth = 0;

  get inside(): boolean {
    return this.#by !== 0;
  }

  open(id: number): void {
    if (this.#by === 0) this.#by = id;
    if (this.#by === id) this.#depth++;
  }

  close(id: number): void {
    if (id === this.#by && --this.#depth === 0) this.#by = 0;
  }

  leave(): void {
    this.#by = 0;
    this.#depth = 0;
  }
}
