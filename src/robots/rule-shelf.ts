import type { PathRules } from './path-rules.ts';

/**
 * Keeps the compiled rules of large files within a limit for the thread. A crawl holds hundreds of live hosts, and the
 * rules
 * of a hostile file can take 30 MB. The rules that were used least recently are dropped; they are compiled again when
 * they
 * are needed.
 *
 * Invariant: rules below `MIN_SHELVED_BYTES` are not counted and never dropped, so an honest site compiles once.
 */
export const MAX_SHELF_BYTES = 64 * 1024 * 1024;
export const MIN_SHELVED_BYTES = 128 * 1024;

/** Where compiled rules are kept. The owner lets go of it together with the host. */
export interface RuleSlot {
  rules: PathRules | null;
  /** When the rules were used last, as a count. */
  used: number;
}

let uses = 0;
let shelf: WeakRef<RuleSlot>[] = [];

export function noteUse(slot: RuleSlot): void {
  slot.used = ++uses;
}

/** Makes room for the rules of a slot that were just compiled. */
export function shelve(slot: RuleSlot): void {
  if (slot.rules === null || slot.rules.byteLength < MIN_SHELVED_BYTES) return;
  const held = [slot, ...heldSlots().filter((other) => other !== slot)];
  // The new rules stay, even if they alone take more than the limit.
  held.sort((left, right) => right.used - left.used);
  let bytes = 0;
  for (const each of held) {
    bytes += each.rules!.byteLength;
    if (bytes > MAX_SHELF_BYTES && each !== slot) each.rules = null;
  }
  shelf = held.filter((each) => each.rules !== null).map((each) => new WeakRef(each));
}

/** Bytes of all rules on the shelf. */
export function shelfBytes(): number {
  return heldSlots().reduce((sum, slot) => sum + slot.rules!.byteLength, 0);
}

function heldSlots(): RuleSlot[] {
  return shelf.flatMap((reference) => {
    const slot = reference.deref();
    return slot?.rules ? [slot] : [];
  });
}
