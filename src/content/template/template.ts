/**
 * Learns which blocks of a host's pages are template (navigation, headers, footers, labels) and which are the own
 * content of a page.
 *
 * In: the URL and the words of each page. Out: a mark for each block. A block is template if most pages of some group
 * share it. The groups of a page are its host, the folders above it and the pages of its URL shape. In a large group a
 * part of the pages is enough, in a small group nearly all pages must have it. The blocks around a block also count
 * (neighbours.ts), and at the beginning and the end of a page so do the first and last words of a block (edge-hash.ts).
 *
 * What always holds: the memory is bounded, old pages count less than new ones, and the same counts give the same
 * marks, in a crawl and for everything that reads the copy later.
 */
import type { PageWords } from '../../core/page/page-words.ts';
import { CountTable } from './count-table.ts';
import { frameOf, placeBefore, placeOf } from './edge-hash.ts';
import { markBetween, markKnownLinks } from './neighbours.ts';
import { groupsOf, HOST, MAX_GROUPS } from './url-groups.ts';

/** When so many pages of the host are counted, all counts are halved. */
const MOST_PAGES = 16_384;
/** 512 KB. A host needs so much only after some thousand different blocks. */
const MAX_SLOTS = 65_536;
/** At most this many counts are stored for a host. */
const MAX_STORED = 16_384;
/** The counts are stored whenever the number of pages has doubled, and at least after so many. */
const PAGES_BETWEEN_STORES = 1_024;
/** Smaller groups than these are no evidence, except for the host as a whole. */
const LEAST_PAGES = 4;
const LEAST_PAGES_OF_HOST = 2;
/** A block is template with `SURE_PAGES + SHARE × pages`, or if all pages have it. */
const SURE_PAGES = 3;
const SHARE = 0.3;
/**
 * The same for a folder or a shape. Its pages often share sentences that are content, so a small group needs more
 * pages: on real sites, blocks of less than 60 % of the pages of such a group were mostly content.
 */
const SURE_PAGES_OF_GROUP = 12;
/** A block that so many pages of the host share is known: it may be navigation that few pages have. */
const KNOWN_PAGES = 3;
/** How many blocks at the beginning and at the end of the own content may be template by their first and last words. */
const EDGE_BLOCKS = 2;
/** A label has at most so many words. */
const LABEL_WORDS = 2;
/** Link text before one template block is template if this share of the pages, and this many pages, have it there. */
const NEARLY_ALL = 0.75;
const LEAST_PAGES_OF_NEARLY_ALL = 12;

/** Among the first pages of a host, each has at least this share of own content. */
const LEAST_OWN = 0.02;

/** The judgement of one page. Valid until the next page is judged. */
export interface TemplateMarks {
  /** 1 for each block that is template. */
  readonly marks: Uint8Array;
  /** Words in blocks that the host has not shown before, without numbers. 0 if the page was only judged. */
  readonly newWords: number;
}

// Module-wide buffers, because they are in use only until the next page is judged.
const GROUPS = new Uint32Array(MAX_GROUPS);
const GROUP_PAGES = new Uint32Array(MAX_GROUPS);
let marks = new Uint8Array(8_192);
let known = new Uint8Array(8_192);
let blockKeys = new Uint32Array(8_192);

export class Template {
  readonly #table: CountTable;
  /** Pages that were learned before and after the counts were last stored. */
  #stored = 0;
  #unstored = 0;

  constructor(table = new CountTable(MAX_SLOTS)) {
    this.#table = table;
  }

  /** Learns from a page and judges it. */
  learn(url: string, page: PageWords): TemplateMarks {
    const groups = this.#open(url, page);
    if (this.pages >= MOST_PAGES) this.#table.halve();
    this.#table.nextPage();
    this.#unstored++;
    for (let i = 0; i < groups; i++) GROUP_PAGES[i] = this.#table.add(keyOf(GROUPS[i] as number, 0), 1);
    let newWords = 0;
    for (let block = 0; block < page.blocks; block++) blockKeys[block] = keyOf(HOST, page.hashes[block] as number);
    this.#table.touch(blockKeys, page.blocks);
    for (let block = 0; block < page.blocks; block++) {
      const hash = page.hashes[block] as number;
      let isTemplate = 0;
      let onHost = 0;
      if (hash !== 0) {
        const keys = this.#table.size;
        onHost = this.#table.add(blockKeys[block] as number, 1);
        if (this.#table.size > keys) newWords += page.textWords[block] as number;
        isTemplate = isShared(onHost, GROUP_PAGES[0] as number, 0);
        // Most blocks are own content and are seen once, so the other groups count a block from its second page on. The
        // first page is taken to be of the same groups. Link text is judged by its neighbours instead, because menus
        // have many links, and counting them for each group would drive rare blocks out of the table.
        const ofGroups = onHost > 1 && page.linked[block] === 0 ? groups : 1;
        for (let i = 1; i < ofGroups && isTemplate === 0; i++) {
          const count = this.#table.add(keyOf(GROUPS[i] as number, hash), 2);
          isTemplate = isShared(count, GROUP_PAGES[i] as number, i);
        }
      }
      marks[block] = isTemplate;
      known[block] = onHost >= KNOWN_PAGES ? 1 : 0;
    }
    this.#markByPlace(page, groups, true);
    return { marks, newWords };
  }

  /** Judges a page without learning from it. */
  judge(url: string, page: PageWords): TemplateMarks {
    const groups = this.#open(url, page);
    for (let i = 0; i < groups; i++) GROUP_PAGES[i] = this.#table.countOf(keyOf(GROUPS[i] as number, 0));
    for (let block = 0; block < page.blocks; block++) {
      const hash = page.hashes[block] as number;
      marks[block] = hash === 0 ? 0 : this.#isCommon(hash, groups, false);
      known[block] = hash !== 0 && this.#table.countOf(keyOf(HOST, hash)) >= KNOWN_PAGES ? 1 : 0;
    }
    this.#markByPlace(page, groups, false);
    return { marks, newWords: 0 };
  }

  /** Marks template that only the place of a block shows. */
  #markByPlace(page: PageWords, groups: number, learns: boolean): void {
    markKnownLinks(page, marks, known);
    markBetween(page, marks, known);
    this.#markEdges(page, groups, learns);
    if ((GROUP_PAGES[0] as number) < LEAST_PAGES) spareAlikePages(page);
  }

  /**
   * Marks lines with changing words at the edges of the own content, such as the titles of the previous and the next
   * page. One block always stays. The first block that is no such line ends the search, because the first paragraphs of
   * many pages, and the lines before a last remark, begin and end with the same words. At the end, link text and known
   * labels do not end it. Link text counts only at the end, because it may be the title at the beginning.
   */
  #markEdges(page: PageWords, groups: number, learns: boolean): void {
    let first = 0;
    let last = page.blocks - 1;
    while (first < last && marks[first] === 1) first++;
    while (first < last && marks[last] === 1) last--;
    for (let left = EDGE_BLOCKS; left > 0 && first < last; left--) {
      if (this.#isCommon(frameOf(page, first), groups, learns) === 0) break;
      marks[first] = 1;
      while (first < last && marks[first] === 1) first++;
    }
    for (let left = EDGE_BLOCKS; left > 0 && first < last; left--) {
      marks[last] = this.#isCommon(frameOf(page, last), groups, learns);
      if (marks[last] === 0 && page.linked[last] === 1) {
        const isPlace = this.#isCommon(placeOf(page, last, marks), groups, learns);
        marks[last] = isPlace || this.#isCommon(placeBefore(page, last, marks), groups, learns, true);
      } else if (marks[last] === 0 && !isKnownLabel(page, last)) break;
      do last--;
      while (first < last && marks[last] === 1);
    }
  }

  /** Returns 1 if this hash is common in a group of the page, or on nearly all its pages if that is needed. */
  #isCommon(hash: number, groups: number, learns: boolean, onNearlyAll = false): number {
    if (hash === 0) return 0;
    for (let i = 0; i < groups; i++) {
      const key = keyOf(GROUPS[i] as number, hash);
      const count = learns ? this.#table.add(key, i === 0 ? 1 : 2) : this.#table.countOf(key);
      const pages = GROUP_PAGES[i] as number;
      if (onNearlyAll ? isOnNearlyAll(count, pages) : isShared(count, pages, i) === 1) return 1;
      if (learns && count < 2) return 0;
    }
    return 0;
  }

  /** The pages of the host, as far as they are counted. */
  get pages(): number {
    return this.#table.countOf(keyOf(HOST, 0));
  }

  /** Prepares the module-wide buffers. Returns the number of groups. */
  #open(url: string, page: PageWords): number {
    if (page.blocks > marks.length) {
      marks = new Uint8Array(page.blocks * 2);
      known = new Uint8Array(page.blocks * 2);
      blockKeys = new Uint32Array(page.blocks * 2);
    }
    return groupsOf(url, GROUPS);
  }

  /**
   * The counts for the store if there is news worth storing, else null. `isIdle`: the host has no more
   * pages at the moment.
   */
  takeNews(isIdle: boolean): Uint8Array | null {
    const isDue = this.#unstored >= Math.min(this.#stored, PAGES_BETWEEN_STORES) || isIdle;
    if (!isDue || this.#unstored === 0) return null;
    this.#stored += this.#unstored;
    this.#unstored = 0;
    return this.encode();
  }

  /** The counts that tell most, for the store. */
  encode(): Uint8Array {
    // While the host is new, blocks of one page are stored too: a unit that joins compares its first page with them.
    const least = this.pages < LEAST_PAGES ? 1 : LEAST_PAGES_OF_HOST;
    return this.#table.encode(least, MAX_STORED);
  }

  /** The template with stored counts. Bytes that make no sense give a template that knows little. */
  static decode(stored: Uint8Array): Template {
    const template = new Template(CountTable.decode(stored, MAX_SLOTS));
    template.#stored = template.pages;
    return template;
  }

  /**
   * Joins the counts of units that share a host. In: the counts so far, and the new counts of one unit. Each count
   * becomes the larger of the two, because both units may have begun with the same stored counts. When the counts so
   * far are due to be halved, the new counts take their place.
   */
  static join(sofar: Uint8Array, news: Uint8Array): Uint8Array {
    const joined = Template.decode(sofar);
    if (joined.pages >= MOST_PAGES) return news;
    joined.#table.raise(news);
    return joined.encode();
  }
}

/** Returns 1 if a block is template in the group with this place among the groups, otherwise 0. */
function isShared(count: number, pages: number, place: number): number {
  if (pages < (place === 0 ? LEAST_PAGES_OF_HOST : LEAST_PAGES)) return 0;
  const sure = place === 0 ? SURE_PAGES : SURE_PAGES_OF_GROUP;
  return count >= Math.min(pages, sure + SHARE * pages) ? 1 : 0;
}

function isKnownLabel({ ends }: PageWords, block: number): boolean {
  return known[block] === 1 && (ends[block] as number) - (block === 0 ? 0 : (ends[block - 1] as number)) <= LABEL_WORDS;
}

function isOnNearlyAll(count: number, pages: number): boolean {
  return pages >= LEAST_PAGES_OF_NEARLY_ALL && count >= NEARLY_ALL * pages;
}

/**
 * The first pages of a host may be versions of one page. Nothing tells then what is template, so a page that would keep
 * hardly any own content keeps all of it.
 */
function spareAlikePages({ blocks, ends, count }: PageWords): void {
  let own = 0;
  for (let block = 0; block < blocks; block++) {
    if (marks[block] === 0) own += (ends[block] as number) - (block === 0 ? 0 : (ends[block - 1] as number));
  }
  if (own < count * LEAST_OWN) marks.fill(0, 0, blocks);
}

function keyOf(group: number, hash: number): number {
  const mixed = Math.imul(hash ^ group ^ (hash >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
