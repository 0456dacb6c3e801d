/**
 * The ways in which a response can break the rules of HTTP/1.1. A response with the flaws of the first group is read as
 * curl and browsers read it, and its connection is closed afterwards. A flaw of the second group makes the response
 * unreadable (`bad-response`). The flaws of a response are stored in its record of the archive; `show` prints them.
 */
export const HTTP_FLAWS = {
  'status-line': 'the status line is malformed',
  'line-end': 'a line does not end with CR LF',
  'header-name': 'a header has an invalid name, or a space before its colon',
  'header-value': 'a header has a control character',
  'content-length': 'Content-Length is not one plain number',
  'transfer-encoding': 'Transfer-Encoding is not understood, or comes with a Content-Length',
  'folded-framing': 'a header that tells the length of the body is folded',
  'chunk-size': 'the size of a chunk is followed by other characters',
  trailer: 'the trailer after the last chunk is malformed or missing',
  'head-cut': 'the connection closed before the end of the head',
  // Unreadable.
  'not-http': 'it does not begin with an HTTP status line',
  'bad-status': 'the status line has no status of three digits, or an unknown version',
  nul: 'the head contains a NUL byte',
  'no-colon': 'a line of the head has no colon',
  'no-length': 'Content-Length is not a number',
  'bad-chunk': 'a chunk has no size, or does not end where its size says',
  'too-many-interim': 'too many interim responses (1xx) came first',
} as const;

export type HttpFlaw = keyof typeof HTTP_FLAWS;

export const NO_FLAWS: readonly HttpFlaw[] = [];

/** Reads a list of flaws, as the archive has it. Names that this version does not know are left out. */
export function flawsIn(list: string): readonly HttpFlaw[] {
  if (list === '') return NO_FLAWS;
  return list.split(', ').filter((name): name is HttpFlaw => Object.hasOwn(HTTP_FLAWS, name));
}

export function flawsInWords(flaws: readonly HttpFlaw[]): string {
  return flaws.map((name) => HTTP_FLAWS[name]).join('; ');
}
