/**
 * Writes the rows of a page and of its captures, its links, and its share of the crawl's counts:
 * for a page that is fetched for the first time, a page that has changed, and a page that leaves
 * the copy. The code runs inside the commit's transaction.
 *
 * The partner for SQLite is store/sqlite/commit/write-page.ts; the
 * shared contract test is test/store/contract/commits.ts.
 */
import {
  type CaptureRecord,
  type CommitBatch,
  type PageRecord,
  type UrlResult,
  VERDICT_NAMES,
} from '../../contract.ts';
import { bytesOf, linksOf, validator } from '../../records/record-rows.ts';
import { countPage } from '../../rules/tally.ts';
import { numbers, texts } from '../connection/arrays.ts';
import type { GraphWriter } from '../graph/graph-writer.ts';
import type { PageRow } from '../rows/table-rows.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import { CaptureWriter } from './capture-writer.ts';
import { BY_CONTENT } from './copies.ts';
import type { Judgement } from './judge-page.ts';

export class PageWriter {
  readonly #set: WorkingSet;
  readonly #graph: GraphWriter;
  readonly #captures: CaptureWriter;
  #fileIds: ReadonlyMap<string, number> = new Map();

  constructor(set: WorkingSet, graph: GraphWriter) {
    this.#set = set;
    this.#graph = graph;
    this.#captures = new CaptureWriter(set);
  }

  /** Writes how many bytes of each archive file are valid, and on which machine and in which folder the file lies. */
  async files({ archive, archivePlace, owner }: CommitBatch): Promise<void> {
    if (archive.size === 0) return;
    const { session, schema } = this.#set;
    // A fixed order avoids a deadlock between two commits with the same files.
    const names = [...archive.keys()].sort();
    const rows = await session.all(
      `INSERT INTO ${schema}.archive_files AS f (id, name, bytes, owner, machine, folder)
       SELECT nextval('${schema}.file_ids'), n.name, n.bytes, $3, $4, $5 FROM unnest($1::text[], $2::bigint[]) AS n(name, bytes)
       ON CONFLICT (name) DO UPDATE SET bytes = greatest(f.bytes, excluded.bytes) RETURNING id, name`,
      [
        texts(names),
        numbers(names.map((name) => archive.get(name)!)),
        archivePlace ? owner : '',
        archivePlace?.machine ?? '',
        archivePlace?.folder ?? '',
      ],
    );
    this.#fileIds = new Map(rows.map(({ id, name }) => [name, id]));
  }

  /** Adds a page that is not in the copy. */
  add(result: UrlResult, found: readonly number[], judged: Judgement, graphSeq: number): void {
    const links = linksOf(result, found);
    this.#graph.add(result.id, links);
    this.#write(result, judged, links.count, graphSeq);
  }

  /** Writes a new version of a page. Returns whether its links differ: then the old link list must be removed. */
  async replace(
    result: UrlResult,
    found: readonly number[],
    judged: Judgement,
    graphSeq: number,
    old: PageRow,
  ): Promise<boolean> {
    const links = linksOf(result, found);
    const isRelinked = !(await this.#graph.hasList({ page: result.id, seq: old.graph_seq }, links));
    if (isRelinked) this.#graph.add(result.id, links);
    countPage(old, -1, this.#set.tally);
    this.#write(result, judged, links.count, isRelinked ? graphSeq : old.graph_seq);
    return isRelinked;
  }

  /**
   * Writes new links of an unchanged page. Returns whether the links differ: then the old link list must be removed.
   */
  async relink(result: UrlResult, found: readonly number[], graphSeq: number, old: PageRow): Promise<boolean> {
    const links = linksOf(result, found);
    if (await this.#graph.hasList({ page: result.id, seq: old.graph_seq }, links)) return false;
    this.#graph.add(result.id, links);
    this.#set.pages.change(result.id, { outlinks: links.count, graph_seq: graphSeq });
    return true;
  }

  remove(id: number, old: PageRow): void {
    this.#set.pages.remove(id);
    this.#set.tally.touches(id);
    countPage(old, -1, this.#set.tally);
  }

  /** Stores the validators that came with the answer "not modified". The page must have been read. */
  setValidators(id: number, { etag, lastModified }: Pick<PageRecord, 'etag' | 'lastModified'>): void {
    if (this.#set.pages.get(id) === null) return;
    this.#set.pages.change(id, { etag: validator(etag), last_modified: validator(lastModified) });
  }

  /** Stores the last capture time of a URL whose captures were read. */
  knowCapture(id: number, lastCaptureMs: number | null): void {
    this.#captures.know(id, lastCaptureMs);
  }

  capture(id: number, capture: CaptureRecord): void {
    const fileId = this.#fileIds.get(capture.file);
    if (fileId === undefined) throw new Error(`capture in ${capture.file}, which the batch does not name`);
    this.#captures.add(id, this.#set.urls.get(id)!.host_id, capture, fileId);
  }

  async writeCaptures(): Promise<void> {
    await this.#captures.write();
  }

  #write(result: UrlResult, judged: Judgement, outlinks: number, graphSeq: number): void {
    const { canonical, canonicalEnd, verdict, reason, duplicateOf, near } = judged;
    const page = result.page!;
    const { tally } = this.#set;
    this.#set.pages.put({
      url_id: result.id,
      host_id: result.hostId,
      bytes: page.bytes,
      digest: Buffer.from(page.digest, 'hex'),
      canonical,
      canonical_end: canonicalEnd,
      canonical_verdict: verdict && VERDICT_NAMES.indexOf(verdict),
      duplicate_of: reason === 'duplicate-content' ? BY_CONTENT : duplicateOf,
      noindex: page.noindex,
      outlinks,
      relevance: page.relevance,
      graph_seq: graphSeq,
      title: page.title,
      language: page.language,
      near_of: near?.of ?? null,
      similarity: near?.similarity ?? null,
      etag: validator(page.etag),
      last_modified: validator(page.lastModified),
      sketch: page.sketch ? bytesOf(page.sketch) : null,
      word_counts: page.wordCounts ?? null,
      regions: page.regions ?? null,
    });
    tally.touches(result.id);
    countPage(page, 1, tally);
    tally.add('wire-bytes', page.wireBytes);
    tally.add('fetches', 1);
  }
}
