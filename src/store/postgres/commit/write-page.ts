/**
 * The rows of a page and of its captures, its links, and what it adds to the counts of the crawl: the same for a page that is
 * fetched for the first time, one that has changed and one that leaves the copy. Runs inside the commit's transaction.
 */
import type { CaptureRecord, CommitBatch, PageRecord, UrlResult } from '../contract.ts';
import { countPage } from '../count-page.ts';
import { bytesOf, linksOf, validator } from '../page-fields.ts';
import { writeFiles } from './archive-files.ts';
import { CaptureWriter } from './capture-writer.ts';
import { BY_CONTENT } from './copies.ts';
import type { GraphWriter } from './graph-writer.ts';
import type { Judgement } from './judge-page.ts';
import type { PageRow } from './shapes.ts';
import type { WorkingSet } from './working-set.ts';

/** A page as the copy has it. */
export type KeptPage = Readonly<PageRow>;

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

  async files(batch: Pick<CommitBatch, 'archive' | 'archivePlace' | 'owner'>): Promise<void> {
    this.#fileIds = await writeFiles(this.#set.session, this.#set.schema, batch);
  }

  /** A page the copy has not. */
  add(result: UrlResult, found: readonly number[], judged: Judgement, graphSeq: number): void {
    const links = linksOf(result, found);
    const part = this.#set.parts.ofHost(result.hostId);
    this.#graph.add(part, result.id, links);
    this.#write(part, result.id, result.page!, judged, links.count, graphSeq);
  }

  /** Null where there is none; held. Its URL has been read. */
  async kept(id: number): Promise<KeptPage | null> {
    await this.#set.pages.load(this.#set.urls.get(id)!.part, [id], 'held');
    return this.#set.pages.get(id);
  }

  /** A page in place of another version. Returns whether its links are others: then the old list has to go. */
  async replace(
    result: UrlResult,
    found: readonly number[],
    judged: Judgement,
    graphSeq: number,
    old: KeptPage,
  ): Promise<boolean> {
    const links = linksOf(result, found);
    const isRelinked = !(await this.#graph.hasList({ part: old.part, page: result.id, seq: old.graph_seq }, links));
    if (isRelinked) this.#graph.add(old.part, result.id, links);
    countPage(old, -1, this.#set.tally);
    this.#write(old.part, result.id, result.page!, judged, links.count, isRelinked ? graphSeq : old.graph_seq);
    return isRelinked;
  }

  /** Other links of the same page. Returns whether they are others: then the old list has to go. */
  async relink(result: UrlResult, found: readonly number[], graphSeq: number, old: KeptPage): Promise<boolean> {
    const links = linksOf(result, found);
    if (await this.#graph.hasList({ part: old.part, page: result.id, seq: old.graph_seq }, links)) return false;
    this.#graph.add(old.part, result.id, links);
    this.#set.pages.change(result.id, { outlinks: links.count, graph_seq: graphSeq });
    return true;
  }

  remove(id: number, old: KeptPage): void {
    this.#set.pages.remove(id);
    countPage(old, -1, this.#set.tally);
  }

  /** What the server gave with the news that nothing is new. The page has been read. */
  setValidators(id: number, { etag, lastModified }: Pick<PageRecord, 'etag' | 'lastModified'>): void {
    if (this.#set.pages.get(id) === null) return;
    this.#set.pages.change(id, { etag: validator(etag), last_modified: validator(lastModified) });
  }

  /** Of a URL whose captures were looked at. */
  knowCapture(id: number, lastCaptureMs: number | null): void {
    this.#captures.know(id, lastCaptureMs);
  }

  capture(id: number, capture: CaptureRecord): void {
    const fileId = this.#fileIds.get(capture.file);
    if (fileId === undefined) throw new Error(`capture in ${capture.file}, which the batch does not name`);
    this.#captures.add(id, this.#set.urls.get(id)!.part, capture, fileId);
  }

  async writeCaptures(): Promise<void> {
    await this.#captures.write();
  }

  #write(
    part: number,
    id: number,
    page: PageRecord,
    { canonical, reason, duplicateOf, near }: Judgement,
    outlinks: number,
    graphSeq: number,
  ): void {
    const { tally } = this.#set;
    this.#set.pages.put({
      part,
      url_id: id,
      bytes: page.bytes,
      digest: Buffer.from(page.digest, 'hex'),
      canonical,
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
      sketch: near === null && duplicateOf === null && page.sketch ? bytesOf(page.sketch) : null,
    });
    countPage(page, 1, tally);
    tally.add('wire-bytes', page.wireBytes);
    tally.add('fetches', 1);
  }
}
