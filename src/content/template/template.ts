/**
 * Learns which blocks of a host's pages are template (navigation, headers, footers, labels) and which are the own
 * content of a page.
 *
 * In: the URL and the words of each page. Out: a mark for each block. A block is template if most pages of some group
 * share it. The groups of a page are its host, the folders above it and the pages of its URL shape. In a large group
 * three pages in ten are enough, in a small group nearly all pages must have it. A block that is all link text is
 * navigation as soon as three pages of the host have it.
 *
 * What always holds: the memory is bounded, old pages count less than new ones, and the same counts give the same
 * marks, in a crawl and for everything that reads the copy later.
 */
import type { PageWords } from '../../core/page/page-words.ts';
import { hashBlocks } from './block-hash.ts';
import { CountTable } from './count-table.ts';
import { groupsOf, HOST, MAX_GROUPS } from './url-groups.ts';

/** When so many pages of the host are counted, all counts are halved. */
const MOST_PAGES = 16_384;
/** 640 KB. A host needs so much only after some thousand different blocks. */
const MAX_SLOTS = 65_536;
/** At most this many counts are stored for a host. */
const MAX_STORED = 16_384;
/** Blocks that fewer than one page in so many has are not stored. */
const RAREST_STORED = 256;
const STORED_BYTES = 6;
/** The counts are stored whenever the number of pages has doubled, and at least after so many. */
const PAGES_BETWEEN_STORES = 1_024;
/** Smaller groups than these are no evidence, except for the host as a whole. */
const LEAST_PAGES = 4;
const LEAST_PAGES_OF_HOST = 2;
/** A block is template with `SURE_PAGES + SHARE × pages`, or if all pages of the group have it. */
const SURE_PAGES = 3;
const SHARE = 0.3;
/** So many pages of the host share a block of link text that is navigation. */
const PAGES_WITH_LINK = 3;

/** Among the first pages of a host, each has at least this share of own content. */
const LEAST_OWN = 0.02;
/** How many blocks before and after a block are looked at, and how many words are few. */
const REACH = 4;
const FEW_WORDS = 4;

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
let hashes = new Uint32Array(1_024);
let marks = new Uint8Array(1_024);

export class Template {
  readonly #table = new CountTable(MAX_SLOTS);
  /** Pages that were learned before and after the counts were last stored. */
  #stored = 0;
  #unstored = 0;

  /** Learns from a page and judges it. */
  learn(url: string, page: PageWords): TemplateMarks {
    const groups = this.#open(url, page);
    if (this.#pages >= MOST_PAGES) this.#table.halve();
    this.#table.nextPage();
    this.#unstored++;
    for (let i = 0; i < groups; i++) GROUP_PAGES[i] = this.#table.add(keyOf(GROUPS[i] as number, 0), 1);
    let newWords = 0;
    for (let block = 0; block < page.blocks; block++) {
      const hash = hashes[block] as number;
      let isTemplate = 0;
      if (hash !== 0) {
        const known = this.#table.size;
        const onHost = this.#table.add(keyOf(HOST, hash), 1);
        if (this.#table.size > known) newWords += wordsOf(page, block);
        isTemplate = isShared(onHost, GROUP_PAGES[0] as number, 0, page.linked[block] as number);
        // Most blocks are own content and are seen once, so the other groups count a block from its second page on. The
        // first page is taken to be of the same groups.
        for (let i = 1; onHost > 1 && i < groups && isTemplate === 0; i++) {
          const count = this.#table.add(keyOf(GROUPS[i] as number, hash), 2);
          isTemplate = isShared(count, GROUP_PAGES[i] as number, i, 0);
        }
      }
      marks[block] = isTemplate;
    }
    markBetween(page);
    if ((GROUP_PAGES[0] as number) < LEAST_PAGES) spareAlikePages(page);
    return { marks, newWords };
  }

  /** Judges a page without learning from it. */
  judge(url: string, page: PageWords): TemplateMarks {
    const groups = this.#open(url, page);
    for (let i = 0; i < groups; i++) GROUP_PAGES[i] = this.#table.countOf(keyOf(GROUPS[i] as number, 0));
    for (let block = 0; block < page.blocks; block++) {
      const hash = hashes[block] as number;
      let isTemplate = 0;
      for (let i = 0; hash !== 0 && i < groups && isTemplate === 0; i++) {
        const count = this.#table.countOf(keyOf(GROUPS[i] as number, hash));
        isTemplate = isShared(count, GROUP_PAGES[i] as number, i, page.linked[block] as number);
      }
      marks[block] = isTemplate;
    }
    markBetween(page);
    if ((GROUP_PAGES[0] as number) < LEAST_PAGES) spareAlikePages(page);
    return { marks, newWords: 0 };
  }

  /** The pages of the host, as far as they are counted. */
  get #pages(): number {
    return this.#table.countOf(keyOf(HOST, 0));
  }

  /** Prepares the module-wide buffers. Returns the number of groups. */
  #open(url: string, page: PageWords): number {
    if (page.blocks > hashes.length) {
      hashes = new Uint32Array(page.blocks * 2);
      marks = new Uint8Array(page.blocks * 2);
    }
    hashBlocks(page, hashes);
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
    const least = Math.max(this.#pages < LEAST_PAGES ? 1 : LEAST_PAGES_OF_HOST, this.#pages / RAREST_STORED);
    const entries = [...this.#table.entries(least)].sort((a, b) => b[1] - a[1]).slice(0, MAX_STORED);
    const bytes = Buffer.allocUnsafe(entries.length * STORED_BYTES);
    for (const [i, [key, count]] of entries.entries()) {
      bytes.writeUInt32LE(key, i * STORED_BYTES);
      bytes.writeUInt16LE(count, i * STORED_BYTES + 4);
    }
    return bytes;
  }

  /** The template with stored counts. Bytes that make no sense give a template that knows little. */
  static decode(stored: Uint8Array): Template {
    const template = new Template();
    const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
    const end = Math.min(bytes.length, MAX_STORED * STORED_BYTES);
    for (let at = 0; at + STORED_BYTES <= end; at += STORED_BYTES) {
      const count = bytes.readUInt16LE(at + 4);
      if (count > 0) template.#table.restore(bytes.readUInt32LE(at), count);
    }
    template.#stored = template.#pages;
    return template;
  }
}

/** Returns 1 if a block is template in the group with this place among the groups, otherwise 0. */
function isShared(count: number, pages: number, place: number, isLinked: number): number {
  if (place === 0 && isLinked === 1 && count >= PAGES_WITH_LINK) return 1;
  if (pages < (place === 0 ? LEAST_PAGES_OF_HOST : LEAST_PAGES)) return 0;
  return count >= Math.min(pages, SURE_PAGES + SHARE * pages) ? 1 : 0;
}

/**
 * Marks navigation that few pages share: a block of link text, or of a few words, is template if
 * most of the blocks before it and after it are.
 */
function markBetween({ blocks, linked, ends }: PageWords): void {
  for (let block = 1; block < blocks - 1; block++) {
    if (marks[block] === 1) continue;
    const words = (ends[block] as number) - (ends[block - 1] as number);
    if (linked[block] === 0 && words > FEW_WORDS) continue;
    let before = 0;
    let after = 0;
    for (let at = Math.max(0, block - REACH); at < block; at++) before += marks[at] as number;
    for (let at = Math.min(blocks - 1, block + REACH); at > block; at--) after += marks[at] as number;
    const least = linked[block] === 1 ? REACH / 2 : REACH - 1;
    if (before >= least && after >= least) marks[block] = 1;
  }
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

function wordsOf({ words, ends }: PageWords, block: number): number {
  let count = 0;
  for (let at = block === 0 ? 0 : (ends[block - 1] as number); at < (ends[block] as number); at++) {
    count += 1 - ((words[at] as number) & 1);
  }
  return count;
}
