/**
 * Proves the identity of a crawler to a watcher without sending its key. In: a name and a key that both know,
 * the site and the query. Out: the value of a header with the name, the time and a code (HMAC-SHA-256) that
 * is valid for this query only.
 *
 * The crawler and the watcher share this file, so they cannot differ. docs/watcher-report.md specifies the format.
 */
import { createHmac } from 'node:crypto';

export const PROOF_HEADER = 'Orbweaver-Crawler';
/** A proof that is older, or further in the future, is invalid. */
export const PROOF_LASTS_MS = 300_000;
export const SHORTEST_KEY = 16;
const LONGEST_KEY = 256;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

export interface CrawlerKey {
  readonly name: string;
  readonly key: string;
}

/** Parses `name:key`. Returns null for invalid text. Messages must not repeat the text, because it is a secret. */
export function parseCrawlerKey(text: string): CrawlerKey | null {
  const at = text.indexOf(':');
  const [name, key] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  const isGood = NAME.test(name) && /^[\x21-\x7e]+$/.test(key);
  return isGood && key.length >= SHORTEST_KEY && key.length <= LONGEST_KEY ? { name, key } : null;
}

/** `site`: scheme and authority. `query`: the text after the `?`, as it is sent. */
export function proofHeader(who: CrawlerKey, site: string, query: string, timeMs: number): string {
  return `${who.name} ${timeMs} ${proofCode(who.key, site, query, timeMs)}`;
}

export function proofCode(key: string, site: string, query: string, timeMs: number): string {
  return createHmac('sha256', key).update(`orbweaver-report 1\n${site}\n${query}\n${timeMs}`).digest('base64url');
}

export function parseProof(header: string): { name: string; timeMs: number; code: string } | null {
  const [, name, time, code] = /^([A-Za-z0-9._-]{1,64}) (\d{1,15}) ([A-Za-z0-9_-]{43})$/.exec(header) ?? [];
  return name === undefined ? null : { name, timeMs: Number(time), code: code! };
}
