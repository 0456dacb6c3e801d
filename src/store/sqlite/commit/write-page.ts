/**
 * Writes the row of a page, its captures, its links and its part of the counts: for a page that is fetched for the
 * first time, for a changed page, and for a page that leaves the copy. Runs inside the caller's transaction.
 *
 * The partner for PostgreSQL is store/postgres/commit/write-page.ts;
 * the shared contract test is test/store/contract/commits.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type CaptureRecord, type PageRecord, type UrlResult, VERDICT_NAMES } from '../../contract.ts';
import { bytesOf, linksOf, validator } from '../../records/record-rows.ts';
import { countPage, type Tally } from '../../rules/tally.ts';
import type { LinkGraph } from '../graph/link-graph.ts';
import { TableAccess } from '../table-access.ts';
import { BY_CONTENT } from './copies.ts';
import type { Judgement } from './judge-page.ts';
import type { CommitScope } from './settle-page.ts';

/** A page in its stored form. */
export interface KeptPage {
  readonly bytes: number;
  readonly digest: Uint8Array;
  readonly relevance: number | null;
  readonly graph_seq: number;
  readonly title: string;
}

export class PageWriter extends TableAccess {
  readonly #graph: LinkGraph;
  readonly #fileIds = new Map<string, number>();
  readonly #upsertFile = this.db.prepare(
    `INSERT INTO archive_files (name, bytes) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = max(bytes, excluded.bytes)
     RETURNING id`,
  );
  readonly #select = this.db.prepare('SELECT bytes, digest, relevance, graph_seq, title FROM pages WHERE url_id = ?');
  readonly #insert = this.db.prepare(
    `INSERT OR REPLACE INTO pages (url_id, bytes, digest, canonical, duplicate_of, noindex, outlinks, relevance, graph_seq,
       title, language, near_of, similarity, etag, last_modified, sketch, canonical_end, canonical_verdict,
       word_counts, regions)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #delete = this.db.prepare('DELETE FROM pages WHERE url_id = ?');
  readonly #setValidators = this.db.prepare('UPDATE pages SET etag = ?, last_modified = ? WHERE url_id = ?');
  readonly #setLinks = this.db.prepare('UPDATE pages SET outlinks = ?, graph_seq = ? WHERE url_id = ?');
  // Captures are ordered by their commits, whatever the clock said. A clock that was set back must not make the
  // newest content an old one.
  readonly #insertCapture = this.db.prepare(
    `INSERT INTO captures VALUES (?1, max(?2, (SELECT coalesce(max(fetched_at) + 1, 0) FROM captures WHERE url_id = ?1)),
       ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
  );

  constructor(db: DatabaseSync, graph: LinkGraph) {
    super(db);
    this.#graph = graph;
  }

  files(archive: ReadonlyMap<string, number>): void {
    for (const [name, bytes] of archive) {
      this.#fileIds.set(name, (this.#upsertFile.get(name, bytes) as { id: number }).id);
    }
  }

  /** Called after a rollback. */
  forget(): void {
    this.#fileIds.clear();
  }

  kept(id: number): KeptPage | null {
    return (this.#select.get(id) as unknown as KeptPage | undefined) ?? null;
  }

  /** Adds a page that the copy does not have. The caller marks its URL as touched. */
  add(result: UrlResult, found: readonly number[], judged: Judgement, { graphSeq, tally }: CommitScope): void {
    const links = linksOf(result, found);
    this.#graph.add(result.id, links);
    this.#write(result, judged, links.count, graphSeq, tally);
  }

  /**
   * Replaces another version of a page, whose URL the caller marks as touched. Returns whether its links changed; the
   * old list must then be removed.
   */
  replace(
    result: UrlResult,
    found: readonly number[],
    judged: Judgement,
    old: KeptPage,
    { graphSeq, tally }: CommitScope,
  ): boolean {
    const links = linksOf(result, found);
    const isRelinked = !this.#graph.hasList(result.id, old.graph_seq, links);
    if (isRelinked) this.#graph.add(result.id, links);
    countPage(old, -1, tally);
    this.#write(result, judged, links.count, isRelinked ? graphSeq : old.graph_seq, tally);
    return isRelinked;
  }

  /** Replaces the links of an unchanged page. Returns whether they changed; the old list must then be removed. */
  relink(result: UrlResult, found: readonly number[], graphSeq: number, old: KeptPage): boolean {
    const links = linksOf(result, found);
    if (this.#graph.hasList(result.id, old.graph_seq, links)) return false;
    this.#graph.add(result.id, links);
    this.#setLinks.run(links.count, graphSeq, result.id);
    return true;
  }

  remove(id: number, old: KeptPage, tally: Tally): void {
    this.#delete.run(id);
    tally.touches(id);
    countPage(old, -1, tally);
  }

  /** Stores the validators that came with the response that nothing has changed. */
  setValidators(id: number, { etag, lastModified }: Pick<PageRecord, 'etag' | 'lastModified'>): void {
    this.#setValidators.run(validator(etag), validator(lastModified), id);
  }

  capture(id: number, capture: CaptureRecord): void {
    const fileId = this.#fileIds.get(capture.file);
    if (fileId === undefined) throw new Error(`a capture is in ${capture.file}, but its batch does not name this file`);
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

  #write(result: UrlResult, judged: Judgement, outlinks: number, graphSeq: number, tally: Tally): void {
    const { canonical, canonicalEnd, verdict, reason, duplicateOf, near } = judged;
    const page = result.page!;
    this.#insert.run(
      result.id,
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
      page.sketch ? bytesOf(page.sketch) : null,
      canonicalEnd,
      verdict && VERDICT_NAMES.indexOf(verdict),
      page.wordCounts ?? null,
      page.regions ?? null,
    );
    countPage(page, 1, tally);
    tally.add('wire-bytes', page.wireBytes);
    tally.add('fetches', 1);
  }
}
