import { REASONS, type Reason } from '../core/reasons.ts';

/** `the server says 404 [not-found]`. */
export function why(reason: Reason): string {
  return `${REASONS[reason] ?? 'for a reason this version does not know'} [${reason}]`;
}
