/** Whether a text is a URL without its scheme, as people copy it from an address bar: `example.com/a`. */
export function lacksScheme(text: string): boolean {
  return /^[\w.-]+\.[a-z]{2,}(?:[:/]|$)/i.test(text);
}
