/**
 * A change as others are told of it. In: an entry of the store. Out: the documented fields (docs/deliver.md), and nothing
 * else. What a page wrote is in them as plain text of bounded length; what is stored of a change is read with care, since a
 * later version may have written it.
 */
import type { Reason } from '../../core/reasons.ts';
import type { ChangeEntry, ChangeKind, Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';

export interface ToldChange {
  readonly seq: number;
  readonly url: string;
  readonly kind: ChangeKind;
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly title: string;
  readonly reason: Reason | null;
  readonly change: ToldDifference | null;
  readonly archived: ToldCapture | null;
}

/** What changed: docs/change.md says what the fields mean. */
export interface ToldDifference {
  readonly kinds: readonly string[];
  readonly band: string;
  readonly shared: number;
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  readonly levels: readonly unknown[];
  readonly regions: readonly string[];
}

/** The newest exchange with the page in the archive, as of the change. */
export interface ToldCapture {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly at: string;
  readonly status: number;
}

const MAX_TITLE_CHARS = 500;
const MAX_WORD_CHARS = 100;
const MAX_REGION_CHARS = 300;
const MAX_LIST = 100;

export async function tellChange(store: Pick<Store, 'capturesOf'>, entry: ChangeEntry): Promise<ToldChange> {
  const { seq, url, kind, atMs, title, reason, change } = entry;
  const [capture] = await store.capturesOf(hostOf(url), urlKeyHex(url), atMs, 1);
  return {
    seq,
    url,
    kind,
    at: isoTime(atMs),
    title: cut(title, MAX_TITLE_CHARS),
    reason,
    change: change === null ? null : readDifference(change),
    archived:
      capture === undefined
        ? null
        : {
            file: capture.file,
            offset: capture.offset,
            length: capture.length,
            at: isoTime(capture.fetchedAtMs),
            status: capture.status,
          },
  };
}

export function readDifference(json: string): ToldDifference | null {
  let stored: unknown;
  try {
    stored = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return null;
  const { kinds, band, shared, wordsAdded, wordsRemoved, levels, regions } = stored as Record<string, unknown>;
  return {
    kinds: texts(kinds, MAX_WORD_CHARS),
    band: typeof band === 'string' ? cut(band, MAX_WORD_CHARS) : '',
    shared: Math.min(1, count(shared)),
    wordsAdded: Math.trunc(count(wordsAdded)),
    wordsRemoved: Math.trunc(count(wordsRemoved)),
    levels: Array.isArray(levels) ? levels.filter(isNumbers).slice(0, MAX_LIST) : [],
    regions: texts(regions, MAX_REGION_CHARS),
  };
}

function texts(value: unknown, maxChars: number): string[] {
  if (!Array.isArray(value)) return [];
  const found = value.filter((item) => typeof item === 'string').slice(0, MAX_LIST);
  return found.map((item) => cut(item, maxChars));
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}

/** A number, or a handful of them by name or place. */
function isNumbers(value: unknown): boolean {
  if (typeof value === 'number') return true;
  if (typeof value !== 'object' || value === null) return false;
  const parts = Object.values(value);
  return parts.length > 0 && parts.length <= 8 && parts.every((part) => typeof part === 'number');
}

/** Never through the middle of a character. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.toWellFormed();
  const end = /[\uD800-\uDBFF]/.test(text[maxChars - 2]!) ? maxChars - 2 : maxChars - 1;
  return `${text.slice(0, end).toWellFormed()}…`;
}

const LATEST_MS = 253_402_300_799_999;

/** Feeds and receivers know years of four digits. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(0, Number.isNaN(ms) ? 0 : ms), LATEST_MS)).toISOString();
}
