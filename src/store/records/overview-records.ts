/** Short records for lists of very many rows: plain data, the same for every engine. */
import type { Reason } from '../../core/reasons.ts';
import { URL_STATES, type UrlState } from './records.ts';

/** What a list of URLs needs. Reading it takes a fraction of the time of a UrlRecord. */
export interface UrlGlance {
  readonly id: number;
  readonly host: string;
  readonly url: string;
  readonly state: UrlState;
  readonly reason: Reason | null;
  /** Bytes of the decoded body; 0 without a page. */
  readonly bytes: number;
}

export interface GlanceRow extends Omit<UrlGlance, 'state' | 'bytes'> {
  readonly state: number;
  readonly bytes: number | null;
}

export function toGlance({ id, host, url, state, reason, bytes }: GlanceRow): UrlGlance {
  return { id, host, url, state: URL_STATES[state]!, reason, bytes: bytes ?? 0 };
}
