/**
 * The rows of a page and of its captures, its links, and what it adds to the counts of the crawl: the same for a page that is
 * fetched for the first time, one that has changed and one that leaves the copy. Runs inside the caller's transaction.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CaptureRecord, PageRecord, UrlResult } from '../contract.ts';
import { countPage } from '../count-page.ts';
import { bytesOf, linksOf, validator } from '../page-fields.ts';
import type { Tally } from '../tally.ts';
import { BY_CONTENT } from './copies.ts';
import type { Judgement } from './judge-page.ts';
import type { LinkGraph } from './link-graph.ts';

/** A page as the copy has it. */
export interface KeptPage {
  readonly bytes: number;
  readonly digest: Uint8Array;
  readonly relevance: number | null;
  readonly graph_seq: number;
  readonly title: string;
}

export class PageWriter {
  readonly #graph: LinkGraph;
  readonly #fileIds = new Map<string, number>();
  readonly #upsertFile: StatementSync;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #setValidators: StatementSync;
  readonly #setLinks: StatementSync;
  readonly #insertCapture: StatementSync;

  constructor(db: DatabaseSync, graph: LinkGraph) {
    this.#graph = graph;
    this.#upsertFile = db.prepare(
      `INSERT INTO archive_files (name, bytes) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = max(bytes, excluded.bytes)
       RETURNING id`,
    );
    this.#select = db.prepare('SELECT bytes, digest, relevance, graph_seq, title FROM pages WHERE url_id = ?');
    this.#insert = db.prepare(
      `INSERT OR REPLACE INTO pages (url_id, bytes, digest, canonical, duplicate_of, noindex, outlinks, relevance, graph_seq,
         title, language, near_of, similarity, etag, last_modified, sketch)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#delete = db.prepare('DELETE FROM pages WHERE url_id = ?');
    this.#setValidators = db.prepare('UPDATE pages SET etag = ?, last_modified = ? WHERE url_id = ?');
    this.#setLinks = db.prepare('UPDATE pages SET outlinks = ?, graph_seq = ? WHERE url_id = ?');
    // In the order of their commits, whatever the clock said: one that was put back must not make the newest content an old one.
    this.#insertCapture = db.prepare(
      `INSERT INTO captures VALUES (?1, max(?2, (SELECT coalesce(max(fetched_at) + 1, 0) FROM captures WHERE url_id = ?1)),
         ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    );
  }

  files(archive: ReadonlyMap<string, number>): void {
    for (const [name, bytes] of archive) {
      this.#fileIds.set(name, (this.#upsertFile.get(name, bytes) as { id: number }).id);
    }
  }

  /** The transaction was rolled back. */
  forget(): void {
    this.#fileIds.clear();
  }

  kept(id: number): KeptPage | null {
    return (this.#select.get(id) as unknown as KeptPage | undefined) ?? null;
  }

  /** A page the copy has not. */
  add(result: UrlResult, found: readonly number[], judged: Judgement, graphSeq: number, tally: Tally): void {
    const links = linksOf(result, found);
    this.#graph.add(result.id, links);
    this.#write(result.id, result.page!, judged, links.count, graphSeq, tally);
  }

  /** A page in place of another version. Returns whether its links are others: then the old list has to go. */
  replace(
    result: UrlResult,
    found: readonly number[],
    judged: Judgement,
    graphSeq: number,
    old: KeptPage,
    tally: Tally,
  ): boolean {
    const links = linksOf(result, found);
    const isRelinked = !this.#graph.hasList(result.id, old.graph_seq, links);
    if (isRelinked) this.#graph.add(result.id, links);
    countPage(old, -1, tally);
    this.#write(result.id, result.page!, judged, links.count, isRelinked ? graphSeq : old.graph_seq, tally);
    return isRelinked;
  }

  /** Other links of the same page. Returns whether they are others: then the old list has to go. */
  relink(result: UrlResult, found: readonly number[], graphSeq: number, old: KeptPage): boolean {
    const links = linksOf(result, found);
    if (this.#graph.hasList(result.id, old.graph_seq, links)) return false;
    this.#graph.add(result.id, links);
    this.#setLinks.run(links.count, graphSeq, result.id);
    return true;
  }

  remove(id: number, old: KeptPage, tally: Tally): void {
    this.#delete.run(id);
    countPage(old, -1, tally);
  }

  /** What the server gave with the news that nothing is new. */
  setValidators(id: number, { etag, lastModified }: Pick<PageRecord, 'etag' | 'lastModified'>): void {
    this.#setValidators.run(validator(etag), validator(lastModified), id);
  }

  capture(id: number, capture: CaptureRecord): void {
    const fileId = this.#fileIds.get(capture.file);
    if (fileId === undefined) throw new Error(`capture in ${capture.file}, which the batch does not name`);
    this.#insertCapture.run(
      id,
      capture.fetchedAtMs,
      capture.status,
      capture.contentType,
      capture.payloadDigest,
      fileId,
      capture.offset,
      capture.length,
      capture.revisit ? 1 : 0,
    );
  }

  #write(
    id: number,
    page: PageRecord,
    { canonical, reason, duplicateOf, near }: Judgement,
    outlinks: number,
    graphSeq: number,
    tally: Tally,
  ): void {
    this.#insert.run(
      id,
      page.bytes,
      Buffer.from(page.digest, 'hex'),
      canonical,
      reason === 'duplicate-content' ? BY_CONTENT : duplicateOf,
      page.noindex ? 1 : 0,
      outlinks,
      page.relevance,
      graphSeq,
      page.title,
      page.language,
      near?.of ?? null,
      near?.similarity ?? null,
      validator(page.etag),
      validator(page.lastModified),
      near === null && duplicateOf === null && page.sketch ? bytesOf(page.sketch) : null,
    );
    countPage(page, 1, tally);
    tally.add('wire-bytes', page.wireBytes);
    tally.add('fetches', 1);
  }
}
