/** Times as the API writes and reads them. */
import { MOMENT_HINT, parseMoment } from '../../../core/text/moment.ts';
import { ApiError } from '../../http/api-error.ts';

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

/** Null if no time was given. A date means its end, as with `--at`. */
export function timeGiven(text: string | undefined, name: string): number | null {
  if (text === undefined || text === '') return null;
  const ms = parseMoment(text);
  if (ms === null) throw new ApiError('BAD_REQUEST', `${name} must be ${MOMENT_HINT}`);
  return ms;
}
