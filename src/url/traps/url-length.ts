/**
 * A URL that keeps growing (each page adds to its own address) is stopped by its length; browsers and servers agree on
 * about 2,000 characters.
 */
import type { Reason } from '../../core/reasons.ts';

export const DEFAULT_MAX_URL_LENGTH = 2_000;

export function judgeUrlLength(url: string, maxUrlLength: number = DEFAULT_MAX_URL_LENGTH): Reason | null {
  return url.length > maxUrlLength ? 'trap-url-length' : null;
}
