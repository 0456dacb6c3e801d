/**
 * A finished segment, for reading. In: its rows in the database. Out: the data of keys, the facts of pages. The facts
 * and the index of the dictionary are in memory; everything else is read when it is needed.
 */

import { ByteReader } from './byte-writer.ts';
import { DenseList } from './dense-list.ts';
import { DictionaryReader, type FoundKey } from './dictionary-reader.ts';
import { FIRST_TERM, stemIn } from './keys.ts';
import { PageColumns } from './page-columns.ts';
import { isDense, type PageList } from './page-list.ts';
import type { PositionBlock } from './position-block.ts';
import { PositionCursor } from './position-cursor.ts';
import { SectionReader } from './section-reader.ts';
import { SECTIONS, type Section } from './section-writer.ts';
import { readForms, type SegmentFacts } from './segment-draft.ts';
import { SparseList } from './sparse-list.ts';

export type ReadSectionRow = (section: Section, row: number) => Uint8Array;

export class Segment {
  readonly id: number;
  readonly facts: SegmentFacts;
  readonly columns: PageColumns;
  readonly dictionary: DictionaryReader;
  readonly sections: Readonly<Record<Section, SectionReader>>;

  constructor(id: number, facts: SegmentFacts, readRow: ReadSectionRow) {
    this.id = id;
    this.facts = facts;
    const readers = SECTIONS.map((name) => [
      name,
      new SectionReader(facts.sectionBytes[name], (row) => readRow(name, row)),
    ]);
    this.sections = Object.fromEntries(readers);
    const { columns, dictionary, dictionaryIndex } = this.sections;
    this.columns = PageColumns.read(columns.read(0, columns.length), facts.pages);
    this.dictionary = new DictionaryReader(dictionary, dictionaryIndex, facts.keys);
  }

  get pages(): number {
    return this.facts.pages;
  }

  pageList(found: FoundKey): PageList {
    const { at, bytes, count, positionBytes } = found;
    const { pages } = this.sections;
    if (!isDense(count, this.pages)) return new SparseList(pages.read(at, at + bytes), count, positionBytes);
    const read = (from: number, to: number) => pages.read(at + from, at + to);
    const readRow = (from: number) => pages.readRow(at + from);
    return new DenseList({ count, bytes, positionBytes, read, readRow }, this.pages);
  }

  positions({ positionsAt }: FoundKey, list: PageList, block?: PositionBlock): PositionCursor {
    const { positions } = this.sections;
    return new PositionCursor(list, (from, to) => positions.read(positionsAt + from, positionsAt + to), block);
  }

  /** The terms of a key of stems or spellings (keys.ts), without the term that equals the stem or spelling. */
  formsOf(key: string): string[] {
    const found = this.dictionary.find(key);
    return found === null ? [] : this.formsIn(found);
  }

  formsIn({ key, at, bytes, count }: FoundKey): string[] {
    return readForms(this.sections.pages.read(at, at + bytes), stemIn(key), count);
  }

  /** All terms that begin with the prefix, in ascending order, with the number of their pages. */
  *termsFrom(prefix: string): Generator<{ readonly key: string; readonly count: number }> {
    for (const found of this.dictionary.from(prefix === '' ? FIRST_TERM : prefix)) {
      if (!found.key.startsWith(prefix)) return;
      yield found;
    }
  }

  urlOf(page: number): string {
    const { urlAt } = this.columns.wide;
    const { urls } = this.sections;
    const bytes = urls.read(urlAt[page]!, page + 1 < this.pages ? urlAt[page + 1]! : urls.length);
    return new ByteReader(bytes).text();
  }

  /** The ids of the URLs to which a page links, in the order of its links. */
  linkTargets(page: number): number[] {
    const { linksAt } = this.columns.wide;
    const { links } = this.sections;
    const reader = new ByteReader(
      links.read(linksAt[page]!, page + 1 < this.pages ? linksAt[page + 1]! : links.length),
    );
    return Array.from({ length: reader.number() }, () => reader.number());
  }
}
