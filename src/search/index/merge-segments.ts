/**
 * Joins segments into one. In: segments, each with the set of its dead pages. Out: a segment with the other pages, in
 * the same order. The work can be interrupted after each key and each page.
 */

import type { PageBits } from './page-bits.ts';
import type { FoundKey } from './segment/dictionary-reader.ts';
import { isFormsKey } from './segment/keys.ts';
import { PageColumns } from './segment/page-columns.ts';
import { PositionBlock } from './segment/position-block.ts';
import { PostingsWriter } from './segment/postings-writer.ts';
import type { Segment } from './segment/segment.ts';
import type { SegmentDraft } from './segment/segment-draft.ts';

export interface MergeInput {
  readonly segment: Segment;
  readonly dead: PageBits;
}

/** A segment in the course of a merge: the new numbers of its pages, and the next key of its dictionary. */
interface Source {
  readonly segment: Segment;
  /** -1 for a dead page. */
  readonly numbers: Int32Array;
  readonly keys: Iterator<FoundKey>;
  next: FoundKey | null;
}

export interface MergedPages {
  /** The ids of the URLs of the new segment, in the order of its pages. */
  readonly urlIds: readonly number[];
  /** For each input, by page: its number in the new segment; -1 for a page that was dead. */
  readonly numbers: readonly Int32Array[];
}

/** Each step is a small part of the work. */
export function* mergeSegments(inputs: readonly MergeInput[], draft: SegmentDraft): Generator<void, MergedPages> {
  let pages = 0;
  const sources = inputs.map(({ segment, dead }) => {
    const numbers = new Int32Array(segment.pages);
    for (let page = 0; page < segment.pages; page++) numbers[page] = dead.has(page) ? -1 : pages++;
    const keys = segment.dictionary.from('')[Symbol.iterator]();
    return { segment, numbers, keys, next: nextOf(keys) };
  });
  yield* mergeKeys(sources, draft, new PostingsWriter(pages));
  const columns = yield* mergeFacts(sources, draft);
  draft.end(pages, [...new Set(inputs.flatMap(({ segment }) => segment.facts.languages))].sort());
  return { urlIds: [...columns.wide.urlId.subarray(0, pages)], numbers: sources.map(({ numbers }) => numbers) };
}

function* mergeKeys(sources: readonly Source[], draft: SegmentDraft, postings: PostingsWriter): Generator<void> {
  for (;;) {
    let key: string | null = null;
    for (const { next } of sources) if (next !== null && (key === null || next.key < key)) key = next.key;
    if (key === null) return;
    const having = sources.filter(({ next }) => next?.key === key);
    if (isFormsKey(key)) {
      const forms = new Set(having.flatMap(({ segment, next }) => segment.formsIn(next!)));
      draft.addForms(key, [...forms].sort());
    } else {
      postings.begin();
      for (const source of having) copyList(source, postings);
      postings.end();
      if (postings.count > 0) draft.addPostings(key, postings);
    }
    for (const source of having) source.next = nextOf(source.keys);
    yield;
  }
}

/** One for all lists: most lists have one page. */
const BLOCK = new PositionBlock();

function copyList({ segment, numbers, next }: Source, postings: PostingsWriter): void {
  const list = segment.pageList(next!);
  const { pages, weights } = list.all();
  const cursor = segment.positions(next!, list, BLOCK);
  for (let i = 0; i < pages.length; i++) {
    const page = numbers[pages[i] as number] as number;
    if (page < 0 || !cursor.seekPlace(i)) continue;
    const { positions, from, to } = cursor;
    postings.start(page, weights[i] as number, positions[from] as number);
    for (let at = from + 1; at < to; at++) postings.addPosition(positions[at] as number);
  }
}

function* mergeFacts(sources: readonly Source[], draft: SegmentDraft): Generator<void, PageColumns> {
  const columns = new PageColumns(1_024);
  const { links, urls } = draft.sections;
  for (const { segment, numbers } of sources) {
    const { columns: from, sections } = segment;
    const { linksAt, urlAt } = from.wide;
    for (let page = 0; page < segment.pages; page++) {
      if ((numbers[page] as number) < 0) continue;
      columns.add({ ...from.factsOf(page), linksAt: links.length, urlAt: urls.length });
      const isLast = page + 1 === segment.pages;
      links.append(sections.links.read(linksAt[page]!, isLast ? sections.links.length : linksAt[page + 1]!));
      urls.append(sections.urls.read(urlAt[page]!, isLast ? sections.urls.length : urlAt[page + 1]!));
      yield;
    }
  }
  columns.write(draft.sections.columns);
  return columns;
}

function nextOf(keys: Iterator<FoundKey>): FoundKey | null {
  const { done, value } = keys.next();
  return done ? null : value;
}
