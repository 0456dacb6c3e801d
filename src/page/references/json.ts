/** References in JSON: web app manifests, import maps, speculation rules, and strings that look like URLs. */

import type { LinkKind } from '../reference-kinds.ts';
import { looksLikeUrl } from './guess-strings.ts';
import type { ReferenceSink } from './sink.ts';

const MAX_JSON_CHARS = 4 * 1024 * 1024;
const MAX_VALUES = 200_000;
/** The members of a manifest that are URLs (W3C Web Application Manifest). `src` is in its lists of images. */
const MANIFEST_URLS: ReadonlySet<string> = new Set([
  ...['src', 'start_url', 'scope', 'id', 'url', 'action', 'new_note_url', 'start_screen_url', 'scope_extensions'],
  ...['configuration', 'privacy_policy_url'],
]);
/** A JSON object with one of these members is a manifest, whatever its type says. */
const MANIFEST_SIGNS = ['start_url', 'short_name', 'display', 'icons'];

export type JsonUse = 'manifest' | 'importmap' | 'speculation' | 'data';

export function readJsonReferences(json: string, use: JsonUse, sink: ReferenceSink): void {
  const value = parse(json);
  if (value === undefined) return;
  if (use === 'importmap') readImportMap(value, sink);
  else if (use === 'speculation') readSpeculationRules(value, sink);
  else readStrings(value, use === 'manifest', sink);
}

function readStrings(value: unknown, isDeclaredManifest: boolean, sink: ReferenceSink): void {
  const isManifest =
    isDeclaredManifest || MANIFEST_SIGNS.filter((name) => memberOf(value, name) !== undefined).length > 1;
  walk(value, (name, text) => {
    if (isManifest && MANIFEST_URLS.has(name)) sink.add(text.trim(), 'manifest');
    else if (looksLikeUrl(text.trim())) sink.guess(text.trim(), 'json');
  });
}

/** The addresses of an import map (HTML standard 8.1.6.2). An address that ends with a slash is a folder. */
function readImportMap(map: unknown, sink: ReferenceSink): void {
  walk({ imports: memberOf(map, 'imports'), scopes: memberOf(map, 'scopes') }, (_, text) => {
    if (!text.endsWith('/')) sink.add(text, 'script');
  });
}

function readSpeculationRules(rules: unknown, sink: ReferenceSink): void {
  for (const action of ['prefetch', 'prerender', 'prefetch_with_subresources']) {
    const list = memberOf(rules, action);
    if (!Array.isArray(list)) continue;
    for (const rule of list) {
      const urls = memberOf(rule, 'urls');
      if (Array.isArray(urls)) for (const url of urls) if (typeof url === 'string') sink.add(url, 'speculation');
    }
  }
}

/** Calls `found` with every string and the name of its member. Without recursion, so depth does no harm. */
function walk(value: unknown, found: (name: string, text: string) => void): void {
  const stack: (readonly [name: string, value: unknown])[] = [['', value]];
  for (let count = 0; stack.length > 0 && count < MAX_VALUES; count++) {
    const [name, each] = stack.pop()!;
    if (typeof each === 'string') found(name, each);
    else if (Array.isArray(each)) for (let i = each.length - 1; i >= 0; i--) stack.push([name, each[i]]);
    else if (typeof each === 'object' && each !== null) {
      for (const [member, inner] of Object.entries(each).reverse()) stack.push([member, inner]);
    }
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function parse(json: string): unknown {
  if (json.length > MAX_JSON_CHARS) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/** The kinds of scripts that are data, by their type. */
export function jsonUseOfScript(type: string): JsonUse | null {
  if (type === 'importmap' || type === 'speculationrules') return type === 'importmap' ? type : 'speculation';
  return type.endsWith('json') ? 'data' : null;
}

/**
 * The entries of a cache manifest (HTML 5.1, 7.7.3). The section NETWORK names what is never cached, and is left out.
 */
export function readCacheManifest(text: string, sink: ReferenceSink): void {
  const kind: LinkKind = 'manifest';
  let section = 'CACHE:';
  for (const line of text.split(/[\r\n]+/)) {
    const words = line.trim().split(/\s+/);
    const first = words[0]!;
    if (first === '' || first.startsWith('#') || first === 'CACHE' || first === '\ufeffCACHE') continue;
    if (words.length === 1 && first.endsWith(':')) section = first.toUpperCase();
    else if (section === 'CACHE:') sink.add(first, kind);
    else if (section === 'FALLBACK:' && words.length > 1) sink.add(words[1]!, kind);
  }
}
