/** The addresses of all views. Everything that a person may want to send to a colleague is in one of them. */
export const VIEWS = ['', 'changes', 'search', 'sites', 'skipped', 'broken', 'rules'] as const;
export type View = (typeof VIEWS)[number] | 'page' | 'search/advanced';

export interface Route {
  readonly copy: string | null;
  readonly view: View | 'unknown';
  readonly host: string | null;
}

export interface ViewProps {
  readonly route: Route;
}

export function readPath(path: string): Route {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length === 0) return { copy: null, view: '', host: null };
  if (parts[0] !== 'c' || parts[1] === undefined) return { copy: null, view: 'unknown', host: null };
  const copy = decode(parts[1]);
  const rest = parts.slice(2).map(decode);
  if (rest[0] === 'sites' && rest.length === 2) return { copy, view: 'sites', host: hostFrom(rest[1]!) };
  const view = rest.join('/');
  const isKnown = view === 'page' || view === 'search/advanced' || (VIEWS as readonly string[]).includes(view);
  return { copy, view: isKnown ? (view as View) : 'unknown', host: null };
}

export function viewPath(copy: string, view: View, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const text = new URLSearchParams(given).toString();
  const path = `/c/${encodeURIComponent(copy)}${view === '' ? '' : `/${view}`}`;
  return text === '' ? path : `${path}?${text}`;
}

export function hostPath(copy: string, host: string): string {
  const short = host.replace('https://', '').replace('http://', 'http:');
  return `/c/${encodeURIComponent(copy)}/sites/${encodeURIComponent(short).replaceAll('%3A', ':')}`;
}

/** A host is named with its scheme; an address leaves out `https://`, which is the usual one. */
function hostFrom(short: string): string {
  return short.startsWith('http:') ? `http://${short.slice('http:'.length)}` : `https://${short}`;
}

export function pagePath(copy: string, url: string, more: Readonly<Record<string, string | undefined>> = {}): string {
  return viewPath(copy, 'page', { url, ...more });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
