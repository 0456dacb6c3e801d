/**
 * One row for each known URL, in the order of discovery, as JSON lines or CSV. The fields
 * and their order are a contract.
 */
import { csvCell } from '../../core/text/csv-cell.ts';
import { isoOrNull, rankOrNull, safeJson } from '../../core/text/readable.ts';
import type { Store, UrlRecord, UrlState } from '../../store/contract.ts';
import { inBatches } from '../../store/read-in-batches.ts';

export const EXPORT_FIELDS = [
  'url',
  'state',
  'status',
  'depth',
  'fetchedAt',
  'contentType',
  'bytes',
  'digest',
  'title',
  'canonical',
  'duplicateOf',
  'inlinks',
  'outlinks',
  'rank',
  'reason',
  'nearDuplicateOf',
  'similarity',
  'relevance',
  'checkedAt',
  'checks',
  'changes',
  'orphaned',
  'canonicalVerdict',
] as const;

/** Null means "not known": for example the status of a URL without a response, or the title of a URL without a page. */
export type ExportRow = Readonly<Record<(typeof EXPORT_FIELDS)[number], string | number | null>>;

/** Rows that are in memory at a time. With 1,000 rows they outlive the young generation, and memory grows by 100 MB. */
const ROWS_PER_READ = 200;

/** Returns the content of a URL for its row; null if it has none. */
export type ContentOf = (record: UrlRecord) => Promise<string | null>;

export async function* jsonLines(
  store: Store,
  states: ReadonlySet<UrlState>,
  contentOf?: ContentOf,
): AsyncGenerator<string> {
  for await (const records of recordsOf(store, states)) {
    const rows = await toRows(store, records);
    if (contentOf === undefined) yield rows.map((row) => `${safeJson(row)}\n`).join('');
    // Contents are long, so only one of them is in memory.
    else
      for (const [i, row] of rows.entries()) yield `${safeJson({ ...row, content: await contentOf(records[i]!) })}\n`;
  }
}

/** RFC 4180: lines end with CRLF, and cells are quoted where necessary. */
export async function* csvLines(store: Store, states: ReadonlySet<UrlState>): AsyncGenerator<string> {
  yield `${EXPORT_FIELDS.join(',')}\r\n`;
  for await (const records of recordsOf(store, states)) {
    const rows = await toRows(store, records);
    yield rows.map((row) => `${EXPORT_FIELDS.map((field) => csvCell(row[field])).join(',')}\r\n`).join('');
  }
}

export async function* recordsOf(store: Store, states: ReadonlySet<UrlState>): AsyncGenerator<UrlRecord[]> {
  for await (const records of inBatches((after, limit) => store.urls(after, limit), ROWS_PER_READ)) {
    yield records.filter(({ state }) => states.has(state));
  }
}

async function toRows(store: Store, records: readonly UrlRecord[]): Promise<ExportRow[]> {
  const ids = records.map(({ id }) => id);
  const [inlinks, ranks] = [await store.backlinks(ids), await store.pageRanks(ids)];
  return records.map((record, i) => toRow(record, inlinks[i]!, ranks[i]!));
}

function toRow(record: UrlRecord, inlinks: number, rank: number): ExportRow {
  const { url, state, depth, capture, bytes, digest, title, canonical, duplicateOf, outlinks, reason } = record;
  const hasPage = digest !== '';
  return {
    url,
    state,
    status: capture?.status ?? null,
    depth,
    fetchedAt: isoOrNull(capture?.fetchedAtMs ?? null),
    contentType: capture?.contentType || null,
    bytes,
    digest: hasPage ? digest : null,
    title: hasPage ? title : null,
    canonical,
    duplicateOf,
    inlinks,
    outlinks,
    rank: rankOrNull(rank),
    reason,
    nearDuplicateOf: record.nearDuplicateOf,
    similarity: record.similarity === null ? null : Number(record.similarity.toFixed(4)),
    relevance: record.relevance === null ? null : Number(record.relevance.toFixed(4)),
    checkedAt: isoOrNull(record.checkedAtMs),
    checks: record.checkedAtMs === null ? null : record.checks,
    changes: record.checkedAtMs === null ? null : record.changes,
    orphaned: isoOrNull(record.orphanedAtMs),
    canonicalVerdict: record.canonicalVerdict,
  };
}
