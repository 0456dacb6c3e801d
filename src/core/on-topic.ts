/** The relevance, from 0 to 1, from which on a page counts as on the topic of its crawl. */
export const ON_TOPIC = 0.5;
