/** Formats values for people on a terminal. */
export * from '../../core/text/readable.ts';
