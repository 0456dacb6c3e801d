/**
 * Indexes a batch of pages, alone or together with another thread. In: the ids of URLs that commits touched. Out: their
 * pages, in the writer and not yet durable; the notes about pages that could not be read.
 *
 * What always holds: the index says the same however the threads divide the pages. Each takes a few at a time, so both
 * end together. What a thread that dies has taken is done here.
 */
import type { IndexWriter } from '../../../search/index/index-writer.ts';
import type { EarlyPages } from './early-pages.ts';
import type { IndexNotes } from './index-notes.ts';
import type { MakerThread } from './maker-thread.ts';
import type { BatchFindings, PageIndexer } from './page-indexer.ts';

/** Pages that a thread takes at once. They are looked up together in the store. */
const PART_PAGES = 25;

export interface BatchParts {
  readonly indexer: PageIndexer;
  readonly writer: Pick<IndexWriter, 'adopt' | 'remove'>;
  readonly notes: Pick<IndexNotes, 'write'>;
  readonly early: EarlyPages;
  /** Null: this thread works alone. */
  readonly maker: Pick<MakerThread, 'help'> | null;
}

export class BatchIndexer {
  readonly #parts: BatchParts;
  /** The hosts of the pages that were read last, with the number of pages that their templates know. */
  #hosts = new Map<string, number>();

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /** `skip`: pages that have ended the thread before. Returns how many ids are done: all, unless it was stopped. */
  async index(ids: readonly number[], skip: ReadonlySet<number>): Promise<number> {
    const { indexer, maker } = this.#parts;
    indexer.begin();
    const parts = partsOf(ids);
    const help = maker?.help(parts, skip) ?? null;
    let isStopped = false;
    for (let part = parts.next(); !part.done && !isStopped; part = parts.next()) {
      isStopped = !(await indexer.index(part.value, skip));
    }
    const made = await help;
    if (made !== null && 'lost' in made) isStopped ||= !(await indexer.index(made.lost, skip));
    this.#hosts.clear();
    this.#note(indexer.found);
    const done = indexer.found.read.length;
    if (made === null || 'lost' in made || isStopped) return done;
    if (made.segment !== null) this.#parts.writer.adopt(made.segment);
    for (const id of made.removed) this.#parts.writer.remove(id);
    this.#note(made.found);
    return done + made.found.read.length;
  }

  #note({ unread, read, early }: BatchFindings): void {
    this.#parts.notes.write(unread, read);
    for (const page of early) {
      this.#parts.early.note(page);
      this.#hosts.set(page.host, page.templatePages);
    }
  }

  /** Pages of the hosts of the last batch whose template is better known than when they were read. */
  get dueAgain(): readonly number[] {
    return [...this.#hosts].flatMap(([host, templatePages]) => this.#parts.early.due(host, templatePages));
  }
}

function* partsOf(ids: readonly number[]): Generator<readonly number[], void> {
  for (let at = 0; at < ids.length; at += PART_PAGES) yield ids.slice(at, at + PART_PAGES);
}
