/** Builds lists of hosts, and checks whether a URL as written in a page leads to one of them. */
export function hostSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** A name with more labels than this is not in the lists. */
const MAX_LABELS = 8;

/** The host of an absolute or protocol-relative URL in lower case, or '' for a relative URL. */
export function hostIn(url: string): string {
  // Most links of a page stay on its own host.
  const first = url.charCodeAt(0);
  if (first === 0x23 || (first === 0x2f && url.charCodeAt(1) !== 0x2f)) return '';
  const start = url.startsWith('//') ? 2 : /^\s*https?:\/\//i.exec(url)?.[0].length;
  if (start === undefined) return '';
  let end = start;
  for (; end < url.length && end - start < 255; end++) {
    const code = url.charCodeAt(end);
    // / ? # : and \, which browsers treat as a slash
    if (code === 0x2f || code === 0x3f || code === 0x23 || code === 0x3a || code === 0x5c) break;
  }
  const host = url.slice(start, end).toLowerCase();
  return host.slice(host.lastIndexOf('@') + 1);
}

/** Whether the list contains the host itself or a parent domain. */
export function isHostIn(hosts: ReadonlySet<string>, host: string): boolean {
  let rest = host;
  for (let labels = 0; labels < MAX_LABELS && rest !== ''; labels++) {
    if (hosts.has(rest)) return true;
    const dot = rest.indexOf('.');
    if (dot === -1) return false;
    rest = rest.slice(dot + 1);
  }
  return false;
}
