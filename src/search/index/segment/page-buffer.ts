/**
 * Collects the words of pages in memory until they become a segment. In: pages. Out: for each term its pages and
 * positions. Words are appended to two arrays, and sorted by term when the segment is written: nothing is allocated
 * for a word.
 */
import { hostOf } from '../../../url/host.ts';
import { analyzeText, type PlainWords, TermNumbers } from '../../analysis/analyze.ts';
import type { SearchPage } from '../../search-page.ts';
import { ByteWriter } from './byte-writer.ts';
import { NOINDEX, PageColumns } from './page-columns.ts';
import {
  DESCRIPTION_FROM,
  LINK_POSITIONS,
  lengthCode,
  MAX_LINKS,
  MAX_POSITION,
  PLACE_BITS,
  PLACES,
  type Place,
  TEXT_FROM,
  TITLE_FROM,
  URL_FROM,
} from './word-places.ts';

/** Words of the title, the description and the text count for the length of a page; template counts little. */
const TEMPLATE_LENGTH = 0.2;
const LANGUAGE_BITS = 31;

/** The words of one kind: those of pages, or those of links. */
export class WordList {
  readonly numbers = new TermNumbers();
  /** By term: a bit for each language of its pages (PageBuffer.languages). */
  languages = new Uint32Array(1_024);
  /** By word: the number of its term, and its position with the code of its place in the lowest bits. */
  words = new Uint32Array(65_536);
  places = new Uint32Array(65_536);
  count = 0;

  get terms(): readonly string[] {
    return this.numbers.terms;
  }

  add(number: number, place: number, languageBit: number): void {
    if (number >= this.languages.length) this.languages = doubled(this.languages);
    this.languages[number] = (this.languages[number] as number) | languageBit;
    if (this.count === this.words.length) this.#grow();
    this.words[this.count] = number;
    this.places[this.count++] = place;
  }

  #grow(): void {
    this.words = doubled(this.words);
    this.places = doubled(this.places);
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(2 * array.length);
  grown.set(array);
  return grown;
}

export class PageBuffer {
  readonly columns = new PageColumns(256);
  readonly words = new WordList();
  readonly linkWords = new WordList();
  /** By page: the number of words, of both kinds, after the page. */
  readonly wordEnds: number[] = [];
  readonly linkWordEnds: number[] = [];
  readonly links = new ByteWriter();
  readonly urls = new ByteWriter();
  /** Languages of the pages; the first is ''. */
  readonly languages: string[] = [''];

  get pages(): number {
    return this.columns.pages;
  }

  /** Returns the number of the page in the segment. */
  add(page: SearchPage): number {
    const number = this.pages;
    const length = this.#addWords(page);
    const linksAt = this.links.length;
    this.#addLinks(page);
    const urlAt = this.urls.length;
    this.urls.text(page.url);
    this.columns.add({
      urlId: page.urlId,
      fetched: Math.floor(page.fetchedAtMs / 1_000),
      changed: Math.floor((page.changedAtMs ?? 0) / 1_000),
      host: hostOf(page.url),
      pageRank: page.pageRank,
      linksAt,
      urlAt,
      language: page.language,
      fileType: page.fileType,
      depth: page.depth,
      flags: page.isNoindex ? NOINDEX : 0,
      length: lengthCode(length),
    });
    this.wordEnds.push(this.words.count);
    this.linkWordEnds.push(this.linkWords.count);
    return number;
  }

  /** Returns the length of the page in words. */
  #addWords(page: SearchPage): number {
    const { words } = this;
    const bit = this.#languageBit(page.language);
    let code = 0;
    let most = 0;
    const { numbers } = words;
    const onTerm = (term: string, position: number): void => {
      if (position < most) words.add(numbers.numberOf(term), (position << PLACE_BITS) | code, bit);
    };
    const plain: PlainWords = {
      letters: numbers.letters,
      take(length, hash, position) {
        if (position < most) words.add(numbers.find(length, hash), (position << PLACE_BITS) | code, bit);
      },
    };
    const addField = (place: Place, text: string, from: number, to: number): number => {
      code = PLACES.indexOf(place);
      most = to;
      return Math.min(to, analyzeText(text, from, onTerm, plain)) - from;
    };
    let length = addField('title', page.title, TITLE_FROM, URL_FROM - 1);
    addField('url', wordsOfUrl(page.url), URL_FROM, DESCRIPTION_FROM - 1);
    length += addField('description', page.description, DESCRIPTION_FROM, TEXT_FROM - 1);
    let position = TEXT_FROM;
    for (const { role, text } of page.blocks) {
      if (position >= MAX_POSITION) break;
      const added = addField(role, text, position, MAX_POSITION);
      length += role === 'template' ? TEMPLATE_LENGTH * added : added;
      // A phrase does not cross the end of a block.
      if (added > 0) position += added + 1;
    }
    return length;
  }

  #addLinks({ links, language }: SearchPage): void {
    const { linkWords } = this;
    const bit = this.#languageBit(language);
    const most = Math.min(links.length, MAX_LINKS);
    this.links.number(most);
    for (let i = 0; i < most; i++) {
      const { targetId, text } = links[i]!;
      this.links.number(targetId);
      const from = i * LINK_POSITIONS;
      analyzeText(text, from, (term, position) => {
        if (position < from + LINK_POSITIONS - 1)
          linkWords.add(linkWords.numbers.numberOf(term), position << PLACE_BITS, bit);
      });
    }
  }

  #languageBit(language: string): number {
    let index = this.languages.indexOf(language);
    if (index < 0) index = this.languages.length < LANGUAGE_BITS ? this.languages.push(language) - 1 : 0;
    return 1 << index;
  }
}

/** The parts of a URL as text: `https://docs.example.com/en/getting-started.html?page=2`. */
export function wordsOfUrl(url: string): string {
  const after = url.indexOf('://');
  const text = after < 0 ? url : url.slice(after + 3);
  let decoded = text;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    // A URL may have any bytes. The words that are not encoded are enough.
  }
  return decoded.replace(/[/?#&=._+:,;~-]/g, ' ');
}
