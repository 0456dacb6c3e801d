/** Where a host stands in the division of work among machines: a slot of its own accord, which no machine's coming or going moves. */
import { hash } from 'node:crypto';

/** Far more than there are workers, few enough that a set of them is two thousand bytes. */
export const SLOTS = 16_384;

/** `text`: a host (scheme and authority), or the address it has where neighbours are to go together (P2). */
export function slotOf(text: string): number {
  return Number.parseInt(hash('sha256', `slot ${text}`).slice(0, 8), 16) % SLOTS;
}
