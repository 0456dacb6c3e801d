/**
 * The rows of a page and of its captures, its links, and what it adds to the counts of the crawl: the same for a page that is
 * fetched for the first time, one that has changed and one that leaves the copy. Runs inside the commit's transaction.
 */
import { encodeLinkList, type LinkList, linkValue } from '../../graph/link-list.ts';
import type { CaptureRecord, PageRecord, UrlResult } from '../contract.ts';
import { countPage } from '../count-page.ts';
import { booleans, numbers, texts } from './arrays.ts';
import type { GraphWriter } from './graph-writer.ts';
import type { Judgement } from './judge-page.ts';
import type { WorkingSet } from './working-set.ts';

/** A longer one is not kept: the page is then asked for without. */
const MAX_VALIDATOR_CHARS = 512;

/** In place of the original's id for a duplicate by content (schema.ts). */
export const BY_CONTENT = 0;

export class PageWriter {
  readonly #set: WorkingSet;
  readonly #graph: GraphWriter;
  readonly #fileIds = new Map<string, number>();
  #captures: { readonly id: number; readonly part: number; readonly capture: CaptureRecord }[] = [];

  constructor(set: WorkingSet, graph: GraphWriter) {
    this.#set = set;
    this.#graph = graph;
  }

  async files(archive: ReadonlyMap<string, number>): Promise<void> {
    if (archive.size === 0) return;
    const { session, schema } = this.#set;
    const names = [...archive.keys()].sort();
    const rows = await session.all(
      `INSERT INTO ${schema}.archive_files AS f (id, name, bytes)
       SELECT nextval('${schema}.file_ids'), * FROM unnest($1::text[], $2::bigint[])
       ON CONFLICT (name) DO UPDATE SET bytes = greatest(f.bytes, excluded.bytes) RETURNING id, name`,
      [texts(names), numbers(names.map((name) => archive.get(name)!))],
    );
    for (const { id, name } of rows) this.#fileIds.set(name, id);
  }

  /** A page the copy has not. */
  add(result: UrlResult, found: readonly number[], judged: Judgement, graphSeq: number): void {
    const links = linksOf(result, found);
    const part = this.#set.parts.ofHost(result.hostId);
    this.#graph.add(part, result.id, links);
    this.#write(part, result.id, result.page!, judged, links.count, graphSeq);
  }

  capture(id: number, capture: CaptureRecord): void {
    this.#captures.push({ id, part: this.#set.urls.get(id)!.part, capture });
  }

  /** In the order of their commits, whatever the clock said: one that was put back must not make the newest content an old one. */
  async writeCaptures(): Promise<void> {
    const { session, schema, parts } = this.#set;
    const captures = this.#captures;
    this.#captures = [];
    await Promise.all(
      parts
        .group(captures, ({ part }) => part)
        .map(([part, some]) =>
          session.run(
            `INSERT INTO ${schema}.captures
             (part, url_id, fetched_at, status, content_type, payload_digest, file_id, "offset", length, revisit)
           SELECT $1::smallint, n.url_id,
             greatest(n.fetched_at, (SELECT max(c.fetched_at) + 1 FROM ${schema}.captures c WHERE c.part = $1 AND c.url_id = n.url_id)),
             n.status, n.content_type, n.payload_digest, n.file_id, n."offset", n.length, n.revisit
           FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],
             $10::boolean[]) AS n(url_id, fetched_at, status, content_type, payload_digest, file_id, "offset", length, revisit)`,
            [
              part,
              numbers(some.map(({ id }) => id)),
              numbers(some.map(({ capture }) => capture.fetchedAtMs)),
              numbers(some.map(({ capture }) => capture.status)),
              texts(some.map(({ capture }) => capture.contentType)),
              texts(some.map(({ capture }) => capture.payloadDigest)),
              numbers(some.map(({ capture }) => this.#fileIds.get(capture.file)!)),
              numbers(some.map(({ capture }) => capture.offset)),
              numbers(some.map(({ capture }) => capture.length)),
              booleans(some.map(({ capture }) => capture.revisit)),
            ],
          ),
        ),
    );
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

function linksOf({ knownLinks, foundAttributes }: UrlResult, found: readonly number[]): LinkList {
  return encodeLinkList(
    knownLinks,
    found.map((id, i) => linkValue(id, foundAttributes[i]!)),
  );
}

function validator(text: string | undefined): string | null {
  return text === undefined || text === '' || text.length > MAX_VALIDATOR_CHARS ? null : text;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
