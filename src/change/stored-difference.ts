/**
 * Reads the stored description of a change, for reports to users and listeners. It reads with care: another version of
 * the program may have written it, and its regions contain names that a page chose. A missing or invalid value becomes
 * an empty value. Nothing throws.
 */

import { cut } from '../core/text/truncate-text.ts';
import type { LevelChange } from './codes/structure-codes.ts';
import type { BothVersions, ImageChange } from './image/compare-pictures.ts';

/** docs/change.md explains the fields. */
export interface ToldDifference {
  readonly kinds: readonly string[];
  readonly band: string;
  readonly shared: number;
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  readonly levels: readonly Omit<LevelChange, 'difference'>[];
  readonly regions: readonly ToldRegion[];
  /** Set for an image, null for any other document. */
  readonly image: ImageChange | null;
}

export interface ToldRegion {
  readonly path: string;
  readonly kinds: readonly string[];
}

const MAX_WORD_CHARS = 100;
const MAX_PATH_CHARS = 300;
const MAX_LEVELS = 100;
const MAX_REGIONS = 20;
const MAX_KINDS = 10;

export function readDifference(json: string): ToldDifference | null {
  const stored = fieldsOf(parse(json));
  if (stored === null) return null;
  return {
    kinds: words(stored.kinds),
    band: word(stored.band, MAX_WORD_CHARS),
    shared: Math.min(1, amount(stored.shared)),
    wordsAdded: whole(stored.wordsAdded),
    wordsRemoved: whole(stored.wordsRemoved),
    levels: items(stored.levels, MAX_LEVELS).map((level) => ({
      level: whole(level.level),
      before: whole(level.before),
      after: whole(level.after),
    })),
    regions: items(stored.regions, MAX_REGIONS).map((region) => ({
      path: word(region.path, MAX_PATH_CHARS),
      kinds: words(region.kinds),
    })),
    image: imageOf(fieldsOf(stored.image)),
  };
}

/** The names of the noise rules that removed something. */
export function readNoiseRules(json: string): readonly string[] {
  return words(fieldsOf(parse(json))?.noise);
}

/** True if only the fact of the change is known, because the CPU budget of the page was spent. */
export function isCut(json: string): boolean {
  return fieldsOf(parse(json))?.isCut === true;
}

/** True if `--only-in` selected nothing in the new version. */
export function isPartMissing(json: string): boolean {
  return fieldsOf(parse(json))?.isPartMissing === true;
}

function imageOf(image: Fields | null): ImageChange | null {
  if (image === null) return null;
  return {
    codes: both(image.codes, (code) => (typeof code === 'string' ? cut(code, MAX_WORD_CHARS) : null)),
    looksSame: typeof image.looksSame === 'boolean' ? image.looksSame : null,
    width: both(image.width, sizeOf),
    height: both(image.height, sizeOf),
  };
}

function both<T>(value: unknown, read: (value: unknown) => T | null): BothVersions<T> {
  const fields = fieldsOf(value);
  return { before: read(fields?.before), after: read(fields?.after) };
}

function sizeOf(value: unknown): number | null {
  return typeof value === 'number' ? whole(value) : null;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function items(value: unknown, most: number): Fields[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, most)
    .map(fieldsOf)
    .filter((fields) => fields !== null);
}

function words(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const texts = value.slice(0, MAX_KINDS).filter((item) => typeof item === 'string');
  return texts.map((text) => cut(text, MAX_WORD_CHARS));
}

function word(value: unknown, maxChars: number): string {
  return typeof value === 'string' ? cut(value, maxChars) : '';
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}

function whole(value: unknown): number {
  return Math.trunc(amount(value));
}
