/**
 * The arguments of tools. One table per tool gives the JSON schema that clients see and the check of what they send.
 * Every argument is bounded. None of them is a path, a regular expression or an option of a crawl.
 */
import { didYouMean } from '../../core/did-you-mean.ts';

interface Row {
  readonly about: string;
}

export interface TextRow extends Row {
  readonly kind: 'text';
  readonly most: number;
  readonly isRequired?: boolean;
}

export interface CountRow extends Row {
  readonly kind: 'count';
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

export interface WordRow extends Row {
  readonly kind: 'word';
  /** The first word is the default. */
  readonly words: readonly [string, ...string[]];
}

/** A date or a time. A date alone means its beginning, or its end. */
export interface TimeRow extends Row {
  readonly kind: 'time';
  readonly of: 'begin' | 'end';
}

export type ArgumentTable = Readonly<Record<string, TextRow | CountRow | WordRow | TimeRow>>;

/** An argument that was not given is '', the default, or for a time null. */
export type ArgumentsOf<Table extends ArgumentTable> = {
  readonly [Name in keyof Table]: Table[Name] extends CountRow
    ? number
    : Table[Name] extends TimeRow
      ? number | null
      : string;
};

/** The arguments are wrong. The message tells the model what to send instead. */
export class ArgumentError extends Error {}

const MOST_TIME_CHARS = 40;

export function inputSchema(table: ArgumentTable): Record<string, unknown> {
  const required = Object.entries(table).flatMap(([name, row]) => (isRequired(row) ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(table).map(([name, row]) => [name, schemaOf(row)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function schemaOf(row: ArgumentTable[string]): Record<string, unknown> {
  const description = row.about;
  if (row.kind === 'count') {
    return { type: 'integer', description, minimum: row.least, maximum: row.most, default: row.usual };
  }
  if (row.kind === 'word') return { type: 'string', description, enum: row.words, default: row.words[0] };
  const most = row.kind === 'text' ? row.most : MOST_TIME_CHARS;
  return { type: 'string', description, ...(isRequired(row) ? { minLength: 1 } : {}), maxLength: most };
}

function isRequired(row: ArgumentTable[string]): boolean {
  return row.kind === 'text' && row.isRequired === true;
}

export function readArguments<Table extends ArgumentTable>(table: Table, given: unknown = {}): ArgumentsOf<Table> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ArgumentError('the arguments must be an object');
  }
  const names = Object.keys(table);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown.slice(0, 100), names) || `; the arguments are ${names.join(', ') || 'none'}`;
    throw new ArgumentError(`there is no argument ${shown(unknown)}${hint}`);
  }
  const values = names.map((name) => [name, readValue(name, table[name]!, (given as Record<string, unknown>)[name])]);
  return Object.fromEntries(values) as ArgumentsOf<Table>;
}

/** Some models send null for an argument that they leave out. */
function readValue(name: string, row: ArgumentTable[string], given: unknown): string | number | null {
  const value = given ?? undefined;
  switch (row.kind) {
    case 'count': {
      if (value === undefined) return row.usual;
      if (Number.isInteger(value) && (value as number) >= row.least && (value as number) <= row.most) {
        return value as number;
      }
      throw new ArgumentError(`${name} must be a whole number from ${row.least} to ${row.most}, not ${shown(value)}`);
    }
    case 'word': {
      if (value === undefined) return row.words[0];
      if (row.words.includes(value as string)) return value as string;
      throw new ArgumentError(`${name} must be one of ${row.words.join(', ')}, not ${shown(value)}`);
    }
    case 'time': {
      if (value === undefined || value === '') return null;
      const atMs = typeof value === 'string' && value.length <= MOST_TIME_CHARS ? timeMs(value, row.of) : null;
      if (atMs !== null) return atMs;
      const examples = 'a date such as 2026-11-15 or a time such as 2026-11-15T10:30:00Z';
      throw new ArgumentError(`${name} must be ${examples}, not ${shown(value)}`);
    }
    case 'text': {
      const text = value ?? '';
      if (typeof text !== 'string') throw new ArgumentError(`${name} must be a text, not ${shown(value)}`);
      if (text.length > row.most) {
        throw new ArgumentError(`${name} must have at most ${row.most} characters, not ${text.length}`);
      }
      if (row.isRequired && text.trim() === '') throw new ArgumentError(`${name} is missing`);
      return text;
    }
  }
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** A time without a zone is UTC. */
function timeMs(text: string, of: TimeRow['of']): number | null {
  const found = TIME.exec(text.trim());
  if (found === null) return null;
  const [, date, time = of === 'begin' ? '00:00' : '23:59:59.999', zone = 'Z'] = found;
  const atMs = Date.parse(`${date}T${time}${zone}`);
  // `Date.parse` takes the 31st of a short month for a day of the next one.
  const isReal = zone !== 'Z' || new Date(atMs).toISOString().startsWith(date!);
  return Number.isNaN(atMs) || !isReal ? null : atMs;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : Array.isArray(value) ? 'a list' : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
