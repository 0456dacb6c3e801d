/**
 * The parts of a URL that is already in normal form, by slicing alone: a normal form always has a scheme, an authority
 * without user name and a path, so nothing needs to be parsed again.
 */

/** Scheme and authority, the unit of politeness: `http://example.com:8080`. */
export function hostOf(url: string): string {
  return url.slice(0, pathStart(url));
}

/** Path and query, as a request line and robots.txt see them; never the fragment. */
export function pathOf(url: string): string {
  const fragment = url.indexOf('#');
  return fragment === -1 ? url.slice(pathStart(url)) : url.slice(pathStart(url), fragment);
}

/** `example.com:8080` of a URL or a host: what http and https of one site have in common. */
export function authorityOf(url: string): string {
  return url.slice(authorityStart(url), pathStart(url));
}

/** `example.com` of a host or a URL, without the port; IPv6 addresses keep their brackets, as in `URL.hostname`. */
export function hostnameOf(host: string): string {
  const authority = authorityOf(host);
  const colon = authority.lastIndexOf(':');
  return colon > authority.lastIndexOf(']') ? authority.slice(0, colon) : authority;
}

/** Index of the path's first slash, or the length of a bare host. */
export function pathStart(url: string): number {
  // No authority is empty, so the path cannot begin before character 8 of either scheme.
  const slash = url.indexOf('/', 8);
  return slash === -1 ? url.length : slash;
}

/** Where the path ends: at the query, the fragment or the end. `from` is any place in the path. */
export function pathEnd(url: string, from: number): number {
  const question = url.indexOf('?', from);
  const fragment = url.indexOf('#', from);
  if (question === -1) return fragment === -1 ? url.length : fragment;
  return fragment === -1 || question < fragment ? question : fragment;
}

function authorityStart(url: string): number {
  return url.charCodeAt(4) === 0x3a ? 7 : 8;
}
