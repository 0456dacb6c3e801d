import { safeLines } from './safe-text.ts';

/**
 * Errors that we or our caller made. An `OrbweaverError` has a stable code and an exit code for the command line; its
 * message says what to do. Failures of the web are never errors: see reasons.ts.
 */
export const ERROR_CODES = {
  // Bad usage: exit 2.
  ERR_USAGE: [2, 'the command line is wrong'],
  ERR_UNKNOWN_COMMAND: [2, 'there is no such command'],
  ERR_UNKNOWN_OPTION: [2, 'there is no such flag or configuration key'],
  ERR_BAD_OPTION: [2, 'an option has a value it cannot have'],
  ERR_BAD_URL: [2, 'a text is no http or https URL'],
  ERR_PRIVATE_SEED: [2, 'a seed leads only to private addresses, which the user has not allowed'],
  ERR_CONFIG: [2, 'the configuration file cannot be read or is no YAML mapping'],
  // Failures: exit 1.
  ERR_DIR: [1, 'the data folder cannot be created, read or written'],
  ERR_NO_CRAWL: [1, 'the data folder or the database holds no such crawl'],
  ERR_LOCKED: [1, 'another process is working on the data folder'],
  ERR_NEWER_SCHEMA: [1, 'the crawl was written by a newer version'],
  ERR_STORE: [1, 'the database is damaged or cannot be used'],
  ERR_UNREACHABLE: [1, 'the server of the database cannot be reached'],
  ERR_DENIED: [1, 'the server of the database does not let us in, or not do what is needed'],
  ERR_READ_ONLY: [1, 'the database can only be read'],
  ERR_OLD_SERVER: [1, 'the server of the database is older than PostgreSQL 15'],
  ERR_NO_WORKER: [1, 'no worker of that name is at work on the crawl'],
  ERR_DISK_FULL: [1, 'the disk is full; what was committed is safe'],
  ERR_ARCHIVE: [1, 'the archive cannot be read or written'],
  ERR_OUTPUT: [1, 'the file of an export cannot be written'],
  ERR_ARCHIVE_MISSING: [1, 'archive files that the crawl needs are not in the archive folder'],
  ERR_ARCHIVE_UNKNOWN: [1, 'the archive folder holds pages that the database knows nothing of'],
  ERR_ELSEWHERE: [1, 'the archive file is on another machine, or in a folder that was not named'],
  ERR_UNKNOWN_URL: [1, 'the URL is not known to this crawl'],
  ERR_NOT_IN_COPY: [1, 'the copy has no answer of the URL, or none from that time'],
  ERR_INTERNAL: [1, 'a fault of ours; please report it'],
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
