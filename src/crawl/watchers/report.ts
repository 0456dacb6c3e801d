/**
 * Parses one part of a watcher's report (docs/watcher-report.md). In: the bytes of an answer from any server. Out: its
 * head and entries as plain data, or the fault.
 *
 * What always holds: the parser never throws; a part is accepted whole or not at all; each
 * line is read once; every size is limited.
 */

/** Why a report is not used, in the words of the messages. */
export const REPORT_FAULTS = {
  absent: 'the site has no report',
  forbidden: 'robots.txt disallows the report',
  unreachable: 'the server does not answer',
  busy: 'the server asks us to retry later',
  elsewhere: 'the report redirects to another host',
  'too-large': 'the report is too large',
  'no-report': 'the response is not a report',
  'other-version': 'the report has an unknown format version',
  'other-site': 'the report is for another site',
  'cut-off': 'the report is cut off',
  'bad-line': 'the report has an invalid line',
  'bad-url': 'the report names a URL outside its site',
  endless: 'the report does not end',
  slow: 'reading the report takes too long',
  'bad-key': 'the watcher does not accept the name and key of --lease-key, or its clock differs by minutes',
  refused: 'the watcher gives the report only with the lease, which another crawler holds',
} as const;
export type ReportFault = keyof typeof REPORT_FAULTS;

const LEASE_KINDS = ['server', 'log', 'none'] as const;

export interface ReportLease {
  /** Who gives the lease: the server in its answer, the watcher by the access log, or nobody. */
  readonly by: (typeof LEASE_KINDS)[number];
  readonly isHeld: boolean;
  readonly holder: string;
  /** 0 if not stated. */
  readonly untilMs: number;
  /** '' if we do not hold the lease. */
  readonly token: string;
}

export interface ReportHead {
  readonly since: string | null;
  readonly cursor: string;
  readonly more: boolean;
  readonly isListing: boolean;
  readonly pages: number;
  /** The time up to which the watcher looked for changes, by its clock. */
  readonly atMs: number;
  readonly lease: ReportLease;
}

export interface ReportEntry {
  /** Path and query, as written. */
  readonly path: string;
  readonly change: 'new' | 'updated' | 'deleted' | 'page';
  readonly seq: number;
  /** SHA-256 of the content in hexadecimal digits, as in the store; '' if not stated. */
  readonly digest: string;
}

export interface ReportPart {
  readonly head: ReportHead;
  readonly entries: readonly ReportEntry[];
}

export const MAX_PART_BYTES = 16_000_000;
const MAX_PART_ENTRIES = 10_000;
const MAX_LINE_BYTES = 65_536;
const VERSION = 1;
const LINE_END = 0x0a;

export function parseReport(bytes: Buffer, site: string): ReportPart | ReportFault {
  const first = jsonOf(bytes, 0, lineEnd(bytes, 0));
  if (first === null || !('orbweaver-report' in first)) return 'no-report';
  if (first['orbweaver-report'] !== VERSION) return 'other-version';
  const head = headOf(first);
  if (head === null) return 'bad-line';
  if (first.site !== site) return 'other-site';
  const entries: ReportEntry[] = [];
  for (let from = lineEnd(bytes, 0) + 1; from < bytes.length; ) {
    const to = lineEnd(bytes, from);
    const line = jsonOf(bytes, from, to);
    from = to + 1;
    if (line === null) return from > bytes.length ? 'cut-off' : 'bad-line';
    if (line.end === true) return line.entries === entries.length ? { head, entries } : 'cut-off';
    if (entries.length >= MAX_PART_ENTRIES) return 'too-large';
    const entry = entryOf(line, head.isListing);
    if (typeof entry === 'string') return entry;
    entries.push(entry);
  }
  return 'cut-off';
}

/** The lease in a report that cannot be used, so that it can be released. */
export function leaseIn(bytes: Buffer, site: string): ReportLease | null {
  const first = jsonOf(bytes, 0, lineEnd(bytes, 0));
  return first !== null && first['orbweaver-report'] === VERSION && first.site === site ? leaseOf(first.lease) : null;
}

/** The holder, from an answer that refuses the lease. The answer need not be a report. */
export function holderIn(bytes: Buffer): ReportLease {
  return leaseOf(jsonOf(bytes, 0, lineEnd(bytes, 0))?.lease);
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LINE_END, from);
  return end === -1 ? bytes.length : end;
}

type Fields = Readonly<Record<string, unknown>>;

function jsonOf(bytes: Buffer, from: number, to: number): Fields | null {
  if (to - from > MAX_LINE_BYTES) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8', from, to));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** A cursor is sent back unchanged, in a URL. The cursor of a listing may contain the path of a page. */
const CURSOR = /^[\x21-\x7e]{1,6000}$/;
const TOKEN = /^[\x21-\x7e]{1,256}$/;

function headOf({ since, cursor, more, listing, pages, at, lease }: Fields): ReportHead | null {
  if (typeof cursor !== 'string' || !CURSOR.test(cursor)) return null;
  if (since !== null && (typeof since !== 'string' || !CURSOR.test(since))) return null;
  if (typeof more !== 'boolean' || typeof listing !== 'boolean' || !isCount(pages)) return null;
  const atMs = timeOf(at);
  return { since, cursor, more, isListing: listing, pages, atMs, lease: leaseOf(lease) };
}

function leaseOf(value: unknown): ReportLease {
  const { by, held, holder, until, token } = (typeof value === 'object' && value !== null ? value : {}) as Fields;
  return {
    by: LEASE_KINDS.find((kind) => kind === by) ?? 'none',
    isHeld: held === true,
    holder: typeof holder === 'string' ? holder.slice(0, 64) : '',
    untilMs: timeOf(until),
    token: typeof token === 'string' && TOKEN.test(token) ? token : '',
  };
}

function timeOf(value: unknown): number {
  const atMs = typeof value === 'string' && value.length <= 64 ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : atMs;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const CHANGES: readonly unknown[] = ['new', 'updated', 'deleted'] satisfies readonly ReportEntry['change'][];
const HASH = /^[\w-]{43}$/;

function entryOf({ url, change, seq, hash }: Fields, isListing: boolean): ReportEntry | ReportFault {
  if (isListing ? change !== 'page' : !CHANGES.includes(change)) return 'bad-line';
  // `//host` and `/\host` look like a path but mean another host.
  if (typeof url !== 'string' || url[0] !== '/' || url[1] === '/' || url[1] === '\\') return 'bad-url';
  if (!isCount(seq)) return 'bad-line';
  const digest = typeof hash === 'string' && HASH.test(hash) ? Buffer.from(hash, 'base64url').toString('hex') : '';
  return { path: url, change: change as ReportEntry['change'], seq, digest };
}
