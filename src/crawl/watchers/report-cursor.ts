/** A cursor is opaque, but that plain files are read by its parts: `epoch.number`. */

export function cursorEpoch(cursor: string): string {
  return cursor.slice(0, Math.max(0, cursor.lastIndexOf('.')));
}

/** Not a number where it has none: then no number is greater. */
export function cursorNumber(cursor: string): number {
  return Number(cursor.slice(cursor.lastIndexOf('.') + 1));
}
