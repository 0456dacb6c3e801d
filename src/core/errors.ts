import { safeLines } from './safe-text.ts';

/**
 * Errors that we or our caller made. An `OrbweaverError` has a stable code and an exit code for the command line; its
 * message says what to do. Failures of the web are never errors: see reasons.ts.
 */
export const ERROR_CODES = {
  // Bad usage: exit 2.
  ERR_USAGE: [2, 'the command line is wrong'],
  ERR_UNKNOWN_COMMAND: [2, 'the command does not exist'],
  ERR_UNKNOWN_OPTION: [2, 'the flag or configuration key does not exist'],
  ERR_BAD_OPTION: [2, 'an option has an invalid value'],
  ERR_BAD_URL: [2, 'the text is not an http or https URL'],
  ERR_PRIVATE_SEED: [2, 'a seed has only private addresses, and the user has not allowed them'],
  ERR_SECRET_MISSING: [2, 'the crawl uses a header, login, proxy or key that was not given again'],
  ERR_OTHER_SEEDS: [2, 'the data folder or the database has a crawl with other seeds'],
  ERR_CONFIG: [2, 'the configuration file cannot be read or is not a YAML mapping'],
  // Failures: exit 1.
  ERR_DIR: [1, 'the data folder cannot be created, read or written'],
  ERR_NO_CRAWL: [1, 'the data folder or the database does not contain the crawl'],
  ERR_NO_INDEX: [1, 'the copy has no search index'],
  ERR_LOCKED: [1, 'another process is using the data folder'],
  ERR_NEWER_SCHEMA: [1, 'a newer version of Orbweaver wrote the crawl'],
  ERR_STORE: [1, 'the database is damaged or cannot be used'],
  ERR_UNREACHABLE: [1, 'the database server cannot be reached'],
  ERR_DENIED: [1, 'the database server refuses the login, or the user lacks a permission'],
  ERR_READ_ONLY: [1, 'the database is read-only'],
  ERR_OLD_SERVER: [1, 'the database server is older than PostgreSQL 15'],
  ERR_NO_WORKER: [1, 'the crawl has no live worker with this name'],
  ERR_DISK_FULL: [1, 'the disk is full; committed data are safe'],
  ERR_ARCHIVE: [1, 'the archive cannot be read or written'],
  ERR_OUTPUT: [1, 'the output file cannot be written'],
  ERR_ARCHIVE_MISSING: [1, 'the archive folder lacks files that the crawl needs'],
  ERR_ARCHIVE_UNKNOWN: [1, 'the archive folder has pages that the database does not know'],
  ERR_ELSEWHERE: [1, 'the archive file is on another machine, or in a folder that the user did not name'],
  ERR_UNKNOWN_URL: [1, 'the crawl does not know the URL'],
  ERR_NOT_IN_COPY: [1, 'the copy has no response for the URL, or none from that time'],
  ERR_DEMO_ADDRESS: [1, 'the demo web cannot be served at the address that it had before'],
  ERR_INTERNAL: [1, 'a bug in Orbweaver; please report it'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof ERROR_CODES;

export class OrbweaverError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    // Messages contain text from servers, databases and users, and are shown on terminals and in logs.
    super(safeLines(message), options);
    this.name = 'OrbweaverError';
    this.code = code;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code][0];
  }
}
