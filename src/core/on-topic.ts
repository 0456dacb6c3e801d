/** A page with at least this relevance (0 to 1) counts as on topic. */
export const ON_TOPIC = 0.5;
