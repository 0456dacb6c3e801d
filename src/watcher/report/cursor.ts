/**
 * The position of a reader in the changes. A cursor is a text that the reader sends back unchanged. It
 * is untrusted input and therefore checked.
 *
 * `k3f9x2.120`      all changes up to 120 were reported.
 * `k3f9x2.120~163`  the same; a listing was read while changes up to 163 came in, which the reader may know or not.
 * `k3f9x2.l…`       inside a listing that began at a change; continues after a key.
 */
import { createHash } from 'node:crypto';

export type Cursor =
  | { readonly kind: 'change'; readonly epoch: string; readonly seq: number; readonly unsureUpTo: number }
  | { readonly kind: 'listing'; readonly epoch: string; readonly seq: number; readonly afterKey: string };

/** A key is at most as long as a path, 4,096 bytes, and a third longer in base64. */
export const MAX_CURSOR_LENGTH = 6_000;
const MAX_KEY_BYTES = 4_200;
const CHECK_BYTES = 4;

export function changeCursor(epoch: string, seq: number, unsureUpTo = seq): string {
  return unsureUpTo > seq ? `${epoch}.${seq}~${unsureUpTo}` : `${epoch}.${seq}`;
}

export function listingCursor(epoch: string, seq: number, afterKey: string): string {
  const text = Buffer.from(`${seq} ${afterKey}`);
  return `${epoch}.l${Buffer.concat([checkOf(epoch, text), text]).toString('base64url')}`;
}

/** Null if the watcher did not make this cursor. */
export function parseCursor(text: string): Cursor | null {
  if (text.length > MAX_CURSOR_LENGTH) return null;
  const [, epoch, at, upTo, listing] =
    /^([A-Za-z0-9_-]{1,40})\.(?:(\d{1,15})(?:~(\d{1,15}))?|l([A-Za-z0-9_-]{8,}))$/.exec(text) ?? [];
  if (epoch === undefined) return null;
  if (listing !== undefined) return parseListing(epoch, listing);
  const seq = Number(at);
  const unsureUpTo = Number(upTo ?? at);
  return unsureUpTo < seq ? null : { kind: 'change', epoch, seq, unsureUpTo };
}

function parseListing(epoch: string, coded: string): Cursor | null {
  const bytes = Buffer.from(coded, 'base64url');
  const text = bytes.subarray(CHECK_BYTES);
  if (text.length > MAX_KEY_BYTES || !checkOf(epoch, text).equals(bytes.subarray(0, CHECK_BYTES))) return null;
  const [, seq, afterKey] = /^(\d{1,15}) (.+)$/s.exec(text.toString()) ?? [];
  return afterKey === undefined ? null : { kind: 'listing', epoch, seq: Number(seq), afterKey };
}

/** Detects a cut or mistyped cursor, not an attack: a made-up key is only a position in the order. */
function checkOf(epoch: string, text: Buffer): Buffer {
  return createHash('sha256').update(epoch).update(' ').update(text).digest().subarray(0, CHECK_BYTES);
}
