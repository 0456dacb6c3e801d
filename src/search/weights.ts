/**
 * The numbers that decide the order of results. They were chosen by measurement (docs/search-ranking.md), and are the
 * same for every collection. What a word counts in each place of a page is in index/segment/word-places.ts.
 */
export const WEIGHTS = {
  /** BM25: how fast more occurrences of a word stop to count, and how much a long page loses. */
  saturation: 1.5,
  lengthLoss: 0.7,
  /** What a link with the word counts, as a weight of the word on the page that it leads to; more links count less. */
  linkText: 2,
  /** What another form of a word counts, such as `walked` for `walks`. */
  otherForm: 0.8,
  /** What a word counts that comes from a pattern. */
  pattern: 0.5,
  /** A query of so many words is a sentence. Pages come first that lack words as rare as so many average words. */
  sentenceWords: 5,
  lackingWords: 2,
  /** Words of the query that stand together on the page. */
  proximity: 1,
  proximityWindow: 8,
  /** What the words of the best pages count, in the sum, for each word of the query. */
  feedback: 0.6,
  /** The importance of a page in the link graph: the gain of a page with ten times the average PageRank. */
  pageRank: 0.15,
} as const;

/** So many pages, those with the best scores, are compared by proximity. */
export const PROXIMITY_PAGES = 128;
