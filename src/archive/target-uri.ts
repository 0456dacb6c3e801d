/**
 * The URL of a record as WARC-Target-URI. In: a URL in normal form. Out: the same URL as a URI by RFC 3986.
 *
 * The normal form follows the WHATWG URL standard, as browsers do. It keeps characters that RFC 3986 allows only as
 * escapes: `|`, `{`, `}`, `[`, `]`, `^`, a backtick and others. It also keeps a `%` that begins no escape. Validators
 * such as JWAT refuse such a WARC-Target-URI.
 *
 * What always holds: the result has only ASCII characters that RFC 3986 allows in their place. A URL that is a URI
 * already stays as it is.
 */

/** The field with the exact URL. It is written only if WARC-Target-URI had to be escaped. */
export const EXACT_URI = 'Orbweaver-Target-URI';

const ODD = /[^!$&'()*+,\-./0-9:;=?@A-Z_a-z~%]|%(?![0-9A-Fa-f]{2})/;
const EVERY_ODD = new RegExp(ODD, 'gu');
const AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/;

export function targetUri(url: string): string {
  // Nearly every URL ends here.
  if (!ODD.test(url)) return url;
  const authority = AUTHORITY.exec(url)?.[0] ?? '';
  const rest = url.slice(authority.length);
  const hash = rest.indexOf('#');
  const [path, fragment] = hash < 0 ? [rest, null] : [rest.slice(0, hash), rest.slice(hash + 1)];
  // The brackets of an IPv6 address belong to the URI (RFC 3986 §3.2.2).
  const host = authority.replace(EVERY_ODD, (odd) => (odd === '[' || odd === ']' ? odd : escaped(odd)));
  const end = fragment === null ? '' : `#${fragment.replace(EVERY_ODD, escaped)}`;
  return host + path.replace(EVERY_ODD, escaped) + end;
}

function escaped(odd: string): string {
  let text = '';
  for (const byte of Buffer.from(odd, 'utf8')) text += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return text;
}

/** The exact URL of a record. Its field counts only if it belongs to the WARC-Target-URI beside it. */
export function exactUrl(headers: ReadonlyMap<string, string>): string {
  const target = headers.get('warc-target-uri') ?? '';
  const exact = headers.get(EXACT_URI.toLowerCase());
  return exact !== undefined && targetUri(exact) === target ? exact : target;
}
