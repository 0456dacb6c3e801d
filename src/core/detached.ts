/** A copy of a text. A text cut from a page keeps all of the page's text alive; a copy does not. */
export function detached(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
