/** The tables whose rows a commit reads and writes, as types and as columns (schema.ts explains them). */
import type { Reason } from '../../../core/reasons.ts';
import type { Shape } from './rows.ts';

export interface UrlRow {
  readonly id: number;
  readonly host_id: number;
  readonly key: string;
  readonly state: number;
  readonly depth: number;
  readonly rank: number;
  readonly hops: number;
  readonly failures: number;
  readonly due_at: number | null;
  readonly relevance: number | null;
  readonly inherited: number | null;
  readonly steps_off: number | null;
  readonly via: number | null;
  readonly redirect_to: number | null;
  readonly stand_in: number | null;
  readonly reason: Reason | null;
  readonly url: string;
  readonly original: string | null;
  readonly touched: number | null;
}

export const URLS: Shape<UrlRow> = {
  table: 'urls',
  key: 'id',
  columns: {
    id: 'bigint',
    host_id: 'bigint',
    key: 'uuid',
    state: 'smallint',
    depth: 'integer',
    rank: 'double precision',
    hops: 'smallint',
    failures: 'integer',
    due_at: 'bigint',
    relevance: 'double precision',
    inherited: 'double precision',
    steps_off: 'integer',
    via: 'bigint',
    redirect_to: 'bigint',
    stand_in: 'bigint',
    reason: 'text',
    url: 'text',
    original: 'text',
    touched: 'bigint',
  },
};

export interface PageRow {
  readonly url_id: number;
  readonly host_id: number;
  readonly bytes: number;
  readonly digest: Uint8Array;
  readonly canonical: number | null;
  readonly canonical_end: number | null;
  readonly canonical_verdict: number | null;
  readonly duplicate_of: number | null;
  readonly noindex: boolean;
  readonly outlinks: number;
  readonly relevance: number | null;
  readonly graph_seq: number;
  readonly title: string;
  readonly language: string;
  readonly near_of: number | null;
  readonly similarity: number | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly sketch: Uint8Array | null;
  readonly word_counts: Uint8Array | null;
  readonly regions: Uint8Array | null;
}

export const PAGES: Shape<PageRow> = {
  table: 'pages',
  key: 'url_id',
  columns: {
    url_id: 'bigint',
    host_id: 'bigint',
    bytes: 'bigint',
    digest: 'bytea',
    canonical: 'bigint',
    canonical_end: 'bigint',
    canonical_verdict: 'smallint',
    duplicate_of: 'bigint',
    noindex: 'boolean',
    outlinks: 'integer',
    relevance: 'double precision',
    graph_seq: 'bigint',
    title: 'text',
    language: 'text',
    near_of: 'bigint',
    similarity: 'double precision',
    etag: 'text',
    last_modified: 'text',
    sketch: 'bytea',
    word_counts: 'bytea',
    regions: 'bytea',
  },
};

export interface VisitRow {
  readonly url_id: number;
  readonly host_id: number;
  readonly pattern: number;
  readonly depth: number;
  readonly kind: number;
  readonly is_source: boolean;
  readonly checked_at: number;
  readonly checks: number;
  readonly streak: number;
  readonly changes: number;
  readonly changed_log: number;
  readonly quiet_ms: number;
  readonly interval_ms: number;
  readonly rhythm: number;
  readonly failures: number;
  readonly not_before: number;
  readonly claimed_at: number;
  readonly claim_seen: number;
  readonly orphaned_at: number | null;
  readonly copy_of: number | null;
  readonly trouble: Reason | null;
}

export const VISITS: Shape<VisitRow> = {
  table: 'visits',
  key: 'url_id',
  columns: {
    url_id: 'bigint',
    host_id: 'bigint',
    pattern: 'double precision',
    depth: 'integer',
    kind: 'smallint',
    is_source: 'boolean',
    checked_at: 'bigint',
    checks: 'integer',
    streak: 'integer',
    changes: 'double precision',
    changed_log: 'double precision',
    quiet_ms: 'double precision',
    interval_ms: 'double precision',
    rhythm: 'bigint',
    failures: 'integer',
    not_before: 'bigint',
    claimed_at: 'bigint',
    claim_seen: 'bigint',
    orphaned_at: 'bigint',
    copy_of: 'bigint',
    trouble: 'text',
  },
};
