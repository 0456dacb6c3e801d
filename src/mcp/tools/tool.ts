/**
 * A tool for language models. In: the place of a copy and checked arguments. Out: an answer in which the words of the
 * server and the text from the web are apart (answer.ts marks the latter).
 */
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import type { AnyStore } from '../../crawl/place/open-store.ts';
import type { ArgumentsOf, ArgumentTable } from './arguments.ts';

export interface ToolAnswer {
  /** Numbers, times and fixed words of the server. Nothing in it was written on the web. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** The same for people, and what to do next. */
  readonly says: readonly string[];
  /** What was written on the web, as data and as text; null if the answer has nothing from the web. */
  readonly web: Readonly<Record<string, unknown>> | null;
  readonly webText: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly table: ArgumentTable;
  /** The schema of `facts` and of `web`. All of their properties are required. */
  readonly facts: Readonly<Record<string, JsonSchema>>;
  readonly web: Readonly<Record<string, JsonSchema>> | null;
  /** Whether it only reads the copy. */
  readonly onlyReads: boolean;
}

export interface ReadingTool<Table extends ArgumentTable = ArgumentTable> extends ToolDescription {
  readonly table: Table;
  run(copy: OpenCopy, args: ArgumentsOf<Table>): Promise<ToolAnswer>;
}

export interface OpenCopy {
  readonly store: AnyStore;
  readonly place: CrawlPlace;
}

/** Checks the arguments of `run` against its own table; a list of tools knows only that they have tables. */
export function readingTool<const Table extends ArgumentTable>(tool: ReadingTool<Table>): ReadingTool {
  return tool as unknown as ReadingTool;
}

/** The copy cannot answer. The sentence is for the model, and has nothing from the web. */
export class ToolRefusal extends Error {
  readonly code: string;

  constructor(code: string, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** `1 page`, `2 pages`. */
export function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/* Parts of schemas. */
export const TEXT: JsonSchema = { type: 'string' };
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
export const NUMBER: JsonSchema = { type: 'number' };
export const MAYBE_COUNT: JsonSchema = { type: ['integer', 'null'], minimum: 0 };
export const MAYBE_TEXT: JsonSchema = { type: ['string', 'null'] };

export function listOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'array', items: objectOf(properties) };
}

export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
