/** Rows as the engines read them, and their conversion to records. */
import type { Reason } from '../../core/reasons.ts';
import { encodeLinkList, type LinkList, linkValue, targetOf } from '../../graph/link-list.ts';
import {
  type CaptureFacts,
  type CaptureRecord,
  type Counts,
  type HostRecord,
  type NotFoundAnswer,
  type RobotsCopy,
  URL_STATES,
  type UrlRecord,
  type UrlResult,
  type UrlState,
  VERDICT_NAMES,
} from '../contract.ts';

/** Columns of `captures` as `c` and `archive_files` as `f`. */
export const CAPTURE =
  'c.fetched_at, c.status, c.content_type, c.payload_digest, f.name AS file, c."offset", c.length, c.revisit';

export interface CaptureRow {
  fetched_at: number;
  status: number;
  content_type: string;
  payload_digest: string;
  file: string;
  offset: number;
  length: number;
  revisit: number | boolean;
  /** Set only if the statement selects DAMAGE, from `damaged_captures` as `d`. */
  damage?: string | null;
  damage_at?: number | null;
}

/** Columns of `damaged_captures` as `d`, and the condition that joins it with `captures` as `c`. */
export const DAMAGE = 'd.problem AS damage, d.found_at AS damage_at';
export const DAMAGE_KEY = 'd.url_id = c.url_id AND d.fetched_at = c.fetched_at';

export function toCapture(row: CaptureRow): CaptureRecord {
  const { damage = null, damage_at } = row;
  return {
    ...(damage === null ? {} : { damage: { problem: damage, foundAtMs: damage_at! } }),
    fetchedAtMs: row.fetched_at,
    status: row.status,
    contentType: row.content_type,
    payloadDigest: row.payload_digest,
    file: row.file,
    offset: row.offset,
    length: row.length,
    revisit: Boolean(row.revisit),
  };
}

export interface FactsRow extends CaptureRow {
  url_id: number;
  url: string;
  page_bytes: number | null;
  page_digest: Uint8Array | null;
}

/**
 * Columns of `captures` as `c`, `urls` as `u`, `archive_files` as `f`, `pages` as `p` and `damaged_captures` as `d`.
 */
export const FACTS = `c.url_id, u.url, p.bytes AS page_bytes, p.digest AS page_digest, ${CAPTURE}, ${DAMAGE}`;

/** A page is compared with the archive only if its whole body was read. */
export const IS_WHOLE_PAGE = `(u.reason IS NULL OR u.reason NOT IN ('body-too-large', 'bad-encoding', 'partial-content'))`;

export function toFacts(row: FactsRow): CaptureFacts {
  const { page_bytes, page_digest } = row;
  const page = page_digest === null ? null : { bytes: page_bytes!, digest: toDigest(page_digest) };
  return { id: row.url_id, timeMs: row.fetched_at, url: row.url, capture: toCapture(row), page };
}

function toDigest(digest: Uint8Array): string {
  return `sha256:${Buffer.from(digest).toString('hex')}`;
}

export interface RecordRow extends Omit<CaptureRow, 'file'> {
  id: number;
  url: string;
  original: string | null;
  host: string;
  state: number;
  reason: Reason | null;
  depth: number;
  failures: number;
  due_at: number | null;
  via: string | null;
  redirect_to: string | null;
  title: string | null;
  language: string | null;
  bytes: number | null;
  digest: Uint8Array | null;
  canonical: string | null;
  canonical_verdict: number | null;
  duplicate_of: string | null;
  stand_in: string | null;
  near_of: string | null;
  similarity: number | null;
  outlinks: number | null;
  relevance: number | null;
  checked_at: number | null;
  checks: number | null;
  changes: number | null;
  trouble: Reason | null;
  orphaned_at: number | null;
  file: string | null;
}

export interface HostRow extends RobotsRow {
  id: number;
  host: string;
  waiting: number;
  fetched: number;
  failed: number;
  lease_owner: string | null;
  ready_at: number | null;
  asked_at: number;
  delay_ms: number | null;
  blocked_until: number;
  trouble: Reason | null;
  not_found: string | null;
}

/** The columns of `hosts` that hold its robots.txt. */
export interface RobotsRow {
  robots_status: number | null;
  robots_body: string | null;
  robots_at: number | null;
  robots_since: number | null;
}

export function toRobots(row: RobotsRow): RobotsCopy | null {
  const { robots_status: status, robots_body: body, robots_at: fetchedAtMs, robots_since: failingSinceMs } = row;
  if (status === null) return null;
  return {
    status,
    body: body ?? '',
    fetchedAtMs: fetchedAtMs ?? 0,
    ...(failingSinceMs !== null && { failingSinceMs }),
  };
}

export function toNotFound(text: string | null): NotFoundAnswer | null {
  return text === null ? null : JSON.parse(text);
}

export function toHost(row: HostRow): HostRecord {
  return {
    id: row.id,
    host: row.host,
    waiting: row.waiting,
    fetched: row.fetched,
    failed: row.failed,
    leasedBy: row.lease_owner,
    readyAtMs: row.ready_at,
    manners: { askedAtMs: row.asked_at, delayMs: row.delay_ms, blockedUntilMs: row.blocked_until },
    robots: toRobots(row),
    trouble: row.trouble,
    notFound: toNotFound(row.not_found),
  };
}

export function toRecord(row: RecordRow): UrlRecord {
  return {
    id: row.id,
    url: row.url,
    original: row.original,
    host: row.host,
    state: URL_STATES[row.state]!,
    reason: row.reason,
    depth: row.depth,
    failures: row.failures,
    dueAtMs: row.due_at,
    via: row.via,
    redirectTo: row.redirect_to,
    title: row.title ?? '',
    language: row.language ?? '',
    bytes: row.bytes ?? 0,
    digest: row.digest === null ? '' : toDigest(row.digest),
    canonical: row.canonical,
    canonicalVerdict: row.canonical_verdict === null ? null : VERDICT_NAMES[row.canonical_verdict]!,
    duplicateOf: row.duplicate_of,
    standIn: row.stand_in,
    nearDuplicateOf: row.near_of,
    similarity: row.similarity,
    outlinks: row.outlinks ?? 0,
    relevance: row.relevance,
    checkedAtMs: row.checked_at,
    checks: row.checks ?? 0,
    changes: row.changes ?? 0,
    trouble: row.trouble,
    orphanedAtMs: row.orphaned_at,
    capture: row.file === null ? null : toCapture({ ...row, file: row.file }),
  };
}

export function toCounts(rows: readonly { readonly name: string; readonly value: number }[]): Counts {
  const totals = new Map(rows.map(({ name, value }) => [name, value]));
  const states = {} as Record<UrlState, number>;
  for (const state of URL_STATES) states[state] = totals.get(`state/${state}`) ?? 0;
  const byReason = (start: string): Partial<Record<Reason, number>> => {
    const named = [...totals].filter(([name, value]) => name.startsWith(start) && value > 0);
    return Object.fromEntries(named.map(([name, value]) => [name.slice(start.length), value]));
  };
  return {
    states,
    reasons: byReason('reason/'),
    retrying: totals.get('retrying') ?? 0,
    retryReasons: byReason('retry-reason/'),
    hosts: totals.get('hosts') ?? 0,
    bytes: totals.get('bytes') ?? 0,
    judged: totals.get('judged') ?? 0,
    onTopic: totals.get('on-topic') ?? 0,
    guesses: totals.get('guesses') ?? 0,
    wrongGuesses: totals.get('guesses/wrong') ?? 0,
    wireBytes: totals.get('wire-bytes') ?? 0,
    fetches: totals.get('fetches') ?? 0,
  };
}

/**
 * Fields of a page in the form that every engine stores: the links as one list, the validators, the sketch as bytes.
 */

/** A longer validator is not stored; the next request is then sent without it. */
const MAX_VALIDATOR_CHARS = 512;

export function linksOf({ id, knownLinks, foundAttributes }: UrlResult, found: readonly number[]): LinkList {
  const foundLinks = found.map((target, i) => linkValue(target, foundAttributes[i]!));
  return encodeLinkList(knownLinks, foundLinks, id);
}

/** The URLs that a page links to, without the page itself. */
export function linkedBy({ id, knownLinks }: UrlResult, found: readonly number[]): number[] {
  return [...knownLinks.map(targetOf), ...found].filter((target) => target !== id);
}

export function validator(text: string | undefined): string | null {
  return text === undefined || text === '' || text.length > MAX_VALIDATOR_CHARS ? null : text;
}

export function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The opposite of `bytesOf`. The bytes are copied, because a buffer of an engine need not be aligned. */
export function sketchIn(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
