/**
 * Builds a segment away from the index, for another thread to adopt. In: pages, and URLs that have no page. Out: the
 * rows of the segment in one piece of memory, which moves between threads without a copy.
 */
import type { SearchPage } from '../search-page.ts';
import { PageBuffer } from './segment/page-buffer.ts';
import type { Section } from './segment/section-writer.ts';
import { SegmentDraft, type SegmentFacts } from './segment/segment-draft.ts';
import { writeSegment } from './segment/write-segment.ts';

export interface BuiltSegment {
  readonly facts: SegmentFacts;
  /** By page: the id of its URL. */
  readonly urlIds: readonly number[];
  readonly rows: readonly BuiltRow[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface BuiltRow {
  readonly section: Section;
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

export class SegmentBuilder {
  #buffer = new PageBuffer();
  #urlIds: number[] = [];
  #removed: number[] = [];

  /** Each URL once. */
  add(page: SearchPage): void {
    this.#urlIds[this.#buffer.add(page)] = page.urlId;
  }

  remove(urlId: number): void {
    this.#removed.push(urlId);
  }

  /** Null if there is no page. The builder begins again. */
  build(): { readonly segment: BuiltSegment | null; readonly removed: readonly number[] } {
    const [buffer, urlIds, removed] = [this.#buffer, this.#urlIds, this.#removed];
    this.#buffer = new PageBuffer();
    this.#urlIds = [];
    this.#removed = [];
    if (buffer.pages === 0) return { segment: null, removed };
    const rows: BuiltRow[] = [];
    const pieces: Uint8Array[] = [];
    let length = 0;
    const draft = new SegmentDraft((section, row, bytes) => {
      rows.push({ section, row, from: length, to: length + bytes.length });
      // The writer of a section uses its memory again.
      pieces.push(bytes.slice());
      length += bytes.length;
    });
    writeSegment(buffer, draft);
    const bytes = new Uint8Array(length);
    for (const [i, piece] of pieces.entries()) bytes.set(piece, rows[i]!.from);
    return { segment: { facts: draft.facts, urlIds, rows, bytes }, removed };
  }
}
