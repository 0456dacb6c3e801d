/** Search results, completions, and the query of the advanced search page (E10). */
import {
  decimal,
  flag,
  type Infer,
  list,
  named,
  nullable,
  object,
  oneOf,
  optional,
  record,
  text,
  whole,
} from '../schema/schema.ts';
import { count, time, url } from './copies.ts';

export const searchQuery = object({
  q: text({ maxLength: 10_000, about: 'the query (docs/search-query.md)' }),
  limit: optional(whole({ min: 1, max: 100 })),
  offset: optional(whole({ max: 100_000 })),
  perHost: optional(whole({ min: 1, max: 100 })),
  facets: optional(flag()),
  noindex: optional(flag('also pages that ask search engines not to show them')),
});

export const searchResult = named(
  'SearchResult',
  object({
    url,
    title: text({ maxLength: 10_000 }),
    snippet: text({ maxLength: 10_000, about: 'text, not HTML' }),
    marks: list(object({ from: count, to: count }), 1_000, 'where the words of the query are in the snippet'),
    hasAll: flag(),
    score: decimal(),
    language: text({ maxLength: 40 }),
    fileType: text({ maxLength: 40 }),
    fetchedAt: time,
  }),
);

export const searchAnswer = named(
  'SearchAnswer',
  object({
    total: count,
    indexed: whole({ about: 'pages in the index' }),
    milliseconds: decimal(),
    results: list(searchResult, 100),
    notes: list(text({ maxLength: 20_000 }), 100),
    didYouMean: nullable(text({ maxLength: 20_000 })),
    facets: nullable(record(list(object({ value: text(), pages: count }), 1_000))),
  }),
);
export type SearchAnswer = Infer<typeof searchAnswer>;

export const completionsQuery = object({
  prefix: text({ maxLength: 100 }),
  before: optional(text({ maxLength: 100, about: 'the word in front of it' })),
});
export const completions = named('Completions', object({ words: list(text(), 20) }));
export type Completions = Infer<typeof completions>;

/** All fields together fit into the address of a request. */
const field = text({ maxLength: 1_000 });
export const advancedQuery = object({
  allWords: optional(field),
  exactPhrase: optional(field),
  anyWord: optional(field),
  noneOfWords: optional(field),
  where: optional(oneOf(['any', 'title', 'url', 'anchor'])),
  site: optional(field),
  fileType: optional(field),
  language: optional(field),
  date: optional(field),
  changed: optional(field),
});
export const builtQuery = named('BuiltQuery', object({ q: text({ maxLength: 40_000 }) }));
