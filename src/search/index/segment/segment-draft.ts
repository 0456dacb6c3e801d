/**
 * A segment while it is written. In: keys in ascending order with their data, and the other sections. Out: rows of the
 * database, and the facts by which a reader opens the segment. The rows count for nothing until the facts are stored.
 */
import { ByteReader, ByteWriter } from './byte-writer.ts';
import { DictionaryWriter, sharedPrefix } from './dictionary-writer.ts';
import { stemIn } from './keys.ts';
import type { PostingsWriter } from './postings-writer.ts';
import { SECTIONS, type Section, SectionWriter } from './section-writer.ts';

/** What is stored about a segment. */
export interface SegmentFacts {
  readonly pages: number;
  readonly keys: number;
  readonly languages: readonly string[];
  readonly sectionBytes: Readonly<Record<Section, number>>;
}

export type PutSectionRow = (section: Section, row: number, bytes: Uint8Array) => void;

export class SegmentDraft {
  readonly sections: Readonly<Record<Section, SectionWriter>>;
  readonly #dictionary: DictionaryWriter;
  #facts: SegmentFacts | null = null;

  constructor(put: PutSectionRow) {
    const writers = SECTIONS.map((name) => [name, new SectionWriter((row, bytes) => put(name, row, bytes))]);
    this.sections = Object.fromEntries(writers);
    this.#dictionary = new DictionaryWriter(this.sections.dictionary, this.sections.dictionaryIndex);
  }

  addPostings(key: string, { pages, positions, count }: PostingsWriter): void {
    this.sections.pages.append(pages.written);
    this.sections.positions.append(positions.written);
    this.#dictionary.add({ key, count, bytes: pages.length, positionBytes: positions.length });
  }

  /** The terms that have a stem in common. Each is stored as what it does not share with the stem. */
  addForms(key: string, forms: readonly string[]): void {
    const bytes = new ByteWriter();
    const stem = stemIn(key);
    for (const form of forms) {
      const shared = sharedPrefix(stem, form);
      bytes.number(shared);
      bytes.text(form.slice(shared));
    }
    this.sections.pages.append(bytes.written);
    this.#dictionary.add({ key, count: forms.length, bytes: bytes.length, positionBytes: 0 });
  }

  end(pages: number, languages: readonly string[]): void {
    this.#dictionary.end();
    for (const name of SECTIONS) this.sections[name].end();
    const lengths = SECTIONS.map((name) => [name, this.sections[name].length]);
    const sectionBytes = Object.fromEntries(lengths);
    this.#facts = { pages, keys: this.#dictionary.keys, languages, sectionBytes };
  }

  get facts(): SegmentFacts {
    if (this.#facts === null) throw new TypeError('the segment is not finished');
    return this.#facts;
  }
}

/** Reads the forms of a stem, as `addForms` stored them. */
export function readForms(bytes: Uint8Array, stem: string, count: number): string[] {
  const reader = new ByteReader(bytes);
  return Array.from({ length: count }, () => stem.slice(0, reader.number()) + reader.text());
}
