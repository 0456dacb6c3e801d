/** An answer of the API that is no success: its status, a code that stays the same, and what to do. */
import { OrbweaverError } from '../../core/errors.ts';
import { safeLines } from '../../core/safe-text.ts';
import { SchemaMismatch } from '../schema/schema.ts';

export const API_ERRORS = {
  BAD_REQUEST: 400,
  TOKEN_NEEDED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  BAD_METHOD: 405,
  CONFLICT: 409,
  TOO_LARGE: 413,
  UNSUPPORTED: 415,
  TOO_MANY: 429,
  HEADERS_TOO_LARGE: 431,
  FAILED: 500,
  UNAVAILABLE: 503,
} as const;
export type ApiErrorCode = keyof typeof API_ERRORS;

/** The form in which errors cross threads and leave the server. */
export interface ApiFault {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** With 405: the methods of the address (RFC 9110, 15.5.6). */
  readonly allow?: string;
}

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly allow: string | undefined;

  constructor(code: ApiErrorCode, message: string, allow?: string) {
    super(safeLines(message));
    this.code = code;
    this.allow = allow;
  }
}

/** Errors of a user or of the copy, by the status that tells a program whether trying again can help. */
const STATUS_OF: Readonly<Record<string, number>> = {
  ERR_BAD_URL: 400,
  ERR_BAD_OPTION: 400,
  ERR_USAGE: 400,
  ERR_PRIVATE_SEED: 400,
  ERR_OTHER_SEEDS: 409,
  ERR_UNKNOWN_URL: 404,
  ERR_NOT_IN_COPY: 404,
  ERR_NO_INDEX: 404,
  ERR_NO_CRAWL: 404,
  ERR_LOCKED: 409,
  ERR_ELSEWHERE: 404,
  ERR_ARCHIVE: 404,
};

export function faultOf(error: unknown): ApiFault {
  if (error instanceof ApiError) {
    const { code, message, allow } = error;
    return { status: API_ERRORS[code], code, message, ...(allow !== undefined && { allow }) };
  }
  if (error instanceof SchemaMismatch) return { status: 400, code: 'BAD_REQUEST', message: error.message };
  if (error instanceof OrbweaverError) {
    return { status: STATUS_OF[error.code] ?? 503, code: error.code, message: error.message };
  }
  return { status: 500, code: 'FAILED', message: 'the server has a fault; its output has the details' };
}
