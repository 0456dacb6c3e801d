/** Whether a text is a URL as people copy it out of an address bar, without its scheme: `example.com/a`. */
export function lacksScheme(text: string): boolean {
  return /^[\w.-]+\.[a-z]{2,}(?:[:/]|$)/i.test(text);
}
