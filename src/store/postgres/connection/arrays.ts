/** Lists in PostgreSQL's array syntax: one text for a whole column of values, so that a batch is one statement. */

export function numbers(values: Iterable<number | null>): string {
  return `{${Array.from(values, (value) => (value === null ? 'NULL' : value)).join()}}`;
}

export function booleans(values: Iterable<boolean>): string {
  return `{${Array.from(values, (value) => (value ? 't' : 'f')).join()}}`;
}

/** Also for other types whose text needs no quotes, such as keys in hexadecimal digits. */
export function plainTexts(values: Iterable<string | null>): string {
  return `{${Array.from(values, (value) => value ?? 'NULL').join()}}`;
}

export function texts(values: Iterable<string | null>): string {
  return `{${Array.from(values, (value) => (value === null ? 'NULL' : quoted(value))).join()}}`;
}

export function bytes(values: Iterable<Uint8Array | null>): string {
  return `{${Array.from(values, (value) => (value === null ? 'NULL' : `"\\\\x${hex(value)}"`)).join()}}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\0', '\uFFFD').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function hex({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}
