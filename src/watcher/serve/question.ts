/** Parses the parameters of a question strictly. Unknown, repeated, malformed or too long parameters are refused. */
import { decodeUri } from '../../core/decode-uri.ts';
import { type Cursor, MAX_CURSOR_LENGTH, parseCursor } from '../report/cursor.ts';
import { MAX_ENTRIES } from '../report/draft-report.ts';

export interface Question {
  readonly since: Cursor | null;
  readonly limit: number;
  readonly take: { readonly holder: string; readonly forMs: number | null; readonly token: string | null } | null;
  readonly release: string | null;
}

export const PARAMETERS = ['since', 'limit', 'take', 'for', 'token', 'release'] as const;
type Parameter = (typeof PARAMETERS)[number];

const MAX_QUERY_LENGTH = MAX_CURSOR_LENGTH + 500;
const HOLDER = /^[A-Za-z0-9._-]{1,64}$/;
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

/** `query` is the text after the `?`. Null leads to status 400. */
export function parseQuestion(query: string): Question | null {
  const given = parseParameters(query);
  if (given === null) return null;
  const { since, limit, take, token, release } = given;
  const cursor = since === undefined ? null : parseCursor(since);
  if (since !== undefined && cursor === null) return null;
  const most = limit === undefined ? MAX_ENTRIES : wholeNumber(limit, 0, MAX_ENTRIES);
  const seconds = given.for === undefined ? null : wholeNumber(given.for, 1, 1e9);
  if (most === null || (given.for !== undefined && seconds === null)) return null;
  if (take === undefined && (given.for !== undefined || token !== undefined)) return null;
  if (take !== undefined && !HOLDER.test(take)) return null;
  if (token !== undefined && !TOKEN.test(token)) return null;
  // The response to a release is only the head, so no other parameter makes sense.
  if (release !== undefined && (!TOKEN.test(release) || Object.keys(given).length > 1)) return null;
  const forMs = seconds === null ? null : seconds * 1_000;
  return {
    since: cursor,
    limit: most,
    take: take === undefined ? null : { holder: take, forMs, token: token ?? null },
    release: release ?? null,
  };
}

function parseParameters(query: string): Partial<Record<Parameter, string>> | null {
  if (query.length > MAX_QUERY_LENGTH) return null;
  const given: Partial<Record<Parameter, string>> = {};
  for (const pair of query === '' ? [] : query.split('&', PARAMETERS.length + 1)) {
    const at = pair.indexOf('=');
    const name = PARAMETERS.find((known) => known === pair.slice(0, Math.max(at, 0)));
    const value = decodeUri(pair.slice(at + 1));
    if (name === undefined || given[name] !== undefined || value === null) return null;
    given[name] = value;
  }
  return given;
}

function wholeNumber(text: string, least: number, most: number): number | null {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
