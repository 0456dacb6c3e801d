/**
 * The slot of a host, by which hosts are divided among the machines. A slot depends on the host alone, so it does not
 * change when a machine joins or leaves.
 */
import { hash } from 'node:crypto';

/** Far more slots than workers, but few enough that a bitmap of all slots takes about two thousand bytes. */
export const SLOTS = 16_384;

/** `text` is a host (scheme and authority), or its IP address if hosts on one address should stay together (P2). */
export function slotOf(text: string): number {
  return Number.parseInt(hash('sha256', `slot ${text}`).slice(0, 8), 16) % SLOTS;
}
