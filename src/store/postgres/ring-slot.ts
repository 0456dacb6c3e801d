/** The place of a host on the ring of workers: one of so many slots, by its name. */
import { hash } from 'node:crypto';

export const RING_SLOTS = 16_384;

export function slotOf(name: string): number {
  return Number.parseInt(hash('sha256', `slot ${name}`).slice(0, 8), 16) % RING_SLOTS;
}
