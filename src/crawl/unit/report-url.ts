/**
 * Finds the URL of a host's watcher report: the one in its robots.txt, or else the one in the headers of its pages, or
 * else the well-known path. A pointer to another scheme or authority is ignored.
 */
import { hostOf } from '../../url/host.ts';

export const WELL_KNOWN = '/.well-known/orbweaver-report';
const REL = 'orbweaver-report';
const MAX_HEADER_CHARS = 8_192;
const MAX_URL_CHARS = 2_000;

/** Resolves a pointer to a URL of the host; null if it leads to another host or is not a URL. */
export function placeOn(host: string, pointer: string): string | null {
  if (pointer === '' || pointer.length > MAX_URL_CHARS) return null;
  const url = URL.parse(pointer, `${host}/`);
  if (url === null || url.origin !== host) return null;
  url.hash = '';
  return url.href;
}

/** The report URL in the headers of a response; null if there is none. */
export function placeInHeaders(host: string, rawHeaders: readonly string[]): string | null {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 4 || name.toLowerCase() !== 'link') continue;
    const value = rawHeaders[i + 1]!.slice(0, MAX_HEADER_CHARS);
    if (!value.toLowerCase().includes(REL)) continue;
    for (const target of targetsIn(value)) {
      const place = placeOn(host, target);
      if (place !== null) return place;
    }
  }
  return null;
}

/** `<a>; rel=x, <b>; rel="orbweaver-report"` → `b` (RFC 8288). A comma inside `<>` does not end a link. */
function* targetsIn(header: string): Generator<string> {
  for (let at = 0; at < header.length; ) {
    const from = header.indexOf('<', at);
    const to = from === -1 ? -1 : header.indexOf('>', from);
    if (to === -1) return;
    const next = header.indexOf('<', to);
    const end = next === -1 ? header.length : next;
    if (relsOf(header.slice(to + 1, end)).includes(REL)) yield header.slice(from + 1, to).trim();
    at = end;
  }
}

function relsOf(parameters: string): readonly string[] {
  for (const parameter of parameters.split(/[;,]/)) {
    const equals = parameter.indexOf('=');
    if (equals === -1 || parameter.slice(0, equals).trim().toLowerCase() !== 'rel') continue;
    const value = parameter.slice(equals + 1).trim();
    return (value.startsWith('"') ? value.slice(1).split('"', 1)[0]! : value).toLowerCase().split(/\s+/);
  }
  return [];
}

/** Whether a URL belongs to this host. A stored pointer may no longer do so. */
export function isOn(host: string, url: string): boolean {
  return url !== '' && hostOf(url) === host;
}
