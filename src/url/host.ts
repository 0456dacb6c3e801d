/**
 * Returns parts of a URL in normal form by slicing alone. A normal form always has a scheme, an authority without a
 * user name, and a path, so nothing has to be parsed again.
 */
import { hash } from 'node:crypto';

/** Scheme and authority, such as `http://example.com:8080`. Politeness applies per host in this sense. */
export function hostOf(url: string): string {
  return url.slice(0, pathStart(url));
}

/** Path and query, as a request line and robots.txt use them, without the fragment. */
export function pathOf(url: string): string {
  const fragment = url.indexOf('#');
  return fragment === -1 ? url.slice(pathStart(url)) : url.slice(pathStart(url), fragment);
}

/** `example.com:8080` for a URL or a host. The http and the https URL of one site share it. */
export function authorityOf(url: string): string {
  return url.slice(authorityStart(url), pathStart(url));
}

/** `example.com` for a host or a URL, without the port. IPv6 addresses keep their brackets, as in `URL.hostname`. */
export function hostnameOf(host: string): string {
  const authority = authorityOf(host);
  const colon = authority.lastIndexOf(':');
  return colon > authority.lastIndexOf(']') ? authority.slice(0, colon) : authority;
}

/** Index of the first slash of the path, or the length of the text for a bare host. */
export function pathStart(url: string): number {
  // An authority is never empty, so with both schemes the path cannot begin before character 8.
  const slash = url.indexOf('/', 8);
  return slash === -1 ? url.length : slash;
}

/** Index of the end of the path: the query, the fragment or the end of the URL. `from` is any index in the path. */
export function pathEnd(url: string, from: number): number {
  const question = url.indexOf('?', from);
  const fragment = url.indexOf('#', from);
  if (question === -1) return fragment === -1 ? url.length : fragment;
  return fragment === -1 || question < fragment ? question : fragment;
}

function authorityStart(url: string): number {
  return url.charCodeAt(4) === 0x3a ? 7 : 8;
}

/**
 * The slot of a host, by which hosts are divided among the machines. A slot depends on the host alone, so it does not
 * change when a machine joins or leaves.
 */

/** Far more slots than workers, but few enough that a bitmap of all slots takes about two thousand bytes. */
export const SLOTS = 16_384;

/** `text` is a host (scheme and authority), or its IP address if hosts on one address should stay together (P2). */
export function slotOf(text: string): number {
  return Number.parseInt(hash('sha256', `slot ${text}`).slice(0, 8), 16) % SLOTS;
}
