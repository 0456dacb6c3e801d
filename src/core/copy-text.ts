/** Copies a text. A slice of a page's text keeps the whole text in memory; a copy does not. */
export function detached(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
