/** Cleans the attributes of an element: removes values that are random in each response, and sorts the attributes. */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { attributeOf } from './advertising/advertisement.ts';
import { decodeCloudflareEmail } from './anti-bot.ts';
import { type GeneratedIds, refersToId } from './generated-ids.ts';
import { isEpoch, looksDrawn, looksRandom } from './looks-random.ts';
import type { NoiseLog } from './noise-log.ts';
import { KEPT_ROLE } from './outline-writer.ts';
import { cleanText, mayBeNoise } from './text-noise.ts';
import { dataKind, fieldKind, isRequestId } from './token-names.ts';
import { cleanUrl, type UrlRole } from './url-noise.ts';

/** Placeholder for a value that is noise. */
const IGNORED = '*';
/** The attribute is removed: it may be present at one visit and missing at the next. */
const LEFT_OUT = null;

const LABEL = {
  isKept: false,
  isFooter: false,
  isMoment: false,
  standsAlone: () => true,
  sentAtMs: undefined,
} as const;
const CODE_LINKS = /\b(?:stylesheet|modulepreload)\b/i;
/** Elements that load what their src names. */
const LOADED: ReadonlySet<string> = new Set(['img', 'source', 'video', 'audio', 'iframe', 'frame', 'embed']);
const MAX_SRCSET_CHARS = 20_000;
const SHARED_PICTURE = /^(?:og|twitter):image(?::(?:url|secure_url|src))?$/;
const PRELOADED_CODE: ReadonlySet<string> = new Set(['script', 'style', 'font', 'worker']);

export function cleanAttributes(node: OutlineNode, ids: GeneratedIds, log: NoiseLog): readonly string[] {
  const { attributes } = node;
  const tag = new Tag(node);
  const isFirst = firstTeller(attributes);
  let cleaned: string[] | null = null;
  let isSorted = true;
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at]!;
    const value = attributes[at + 1]!;
    if (at > 0 && name < attributes[at - 2]!) isSorted = false;
    // If a name occurs several times, browsers use the first attribute. The
    // others have no effect and are kept as they are.
    const kept = isFirst(at) ? cleanValue(tag, name, value, ids, log) : value;
    if (kept !== value) cleaned ??= attributes.slice(0, at);
    if (cleaned !== null && kept !== LEFT_OUT) cleaned.push(name, kept);
  }
  if (isSorted || !log.takes('attribute-order', log.isKept ? namesOf(attributes) : '')) return cleaned ?? attributes;
  return sortByName(cleaned ?? attributes);
}

/** The attributes of an element. Each is looked up once, however many attributes the element has. */
class Tag {
  readonly node: OutlineNode;
  readonly #values = new Map<string, string>();

  constructor(node: OutlineNode) {
    this.node = node;
  }

  get(name: string): string {
    let value = this.#values.get(name);
    if (value === undefined) {
      value = attributeOf(this.node, name);
      this.#values.set(name, value);
    }
    return value;
  }
}

const MAX_COMPARED = 16;

/**
 * Returns a function that tells whether the attribute at an index is the first of its
 * name. It must be called once per index, in order.
 */
function firstTeller(attributes: readonly string[]): (at: number) => boolean {
  if (attributes.length <= MAX_COMPARED) {
    return (at) => {
      for (let before = 0; before < at; before += 2) if (attributes[before] === attributes[at]) return false;
      return true;
    };
  }
  const seen = new Set<string>();
  return (at) => {
    const { size } = seen;
    return seen.add(attributes[at]!).size > size;
  };
}

function cleanValue(tag: Tag, name: string, value: string, ids: GeneratedIds, log: NoiseLog): string | null {
  const { node } = tag;
  switch (name) {
    case 'class':
      return sortWords(value, log);
    case 'href':
    case 'src':
    case 'action':
    case 'formaction':
    case 'data-src':
      if (value.startsWith('#')) return ids.clean(value);
      return cleanUrl(value, roleOf(tag, name), log);
    case 'poster':
    case 'data-lazy-src':
    case 'data-original':
      return cleanUrl(value, 'picture', log);
    case 'srcset':
    case 'data-srcset':
    case 'data-lazy-srcset':
      return cleanSrcset(value, log);
    case 'value':
      return node.name === 'input' ? cleanField(tag, value, log) : value;
    case 'content':
      return node.name === 'meta' ? cleanMeta(tag, value, log) : value;
    case 'aria-label':
      return mayBeNoise(value, false) && !isCell(tag) ? cleanText(value, LABEL, log) : value;
    case 'nonce':
      return log.takes('nonce', value) ? LEFT_OUT : value;
    case 'type':
      return node.name === 'script' ? cleanScriptType(value, log) : value;
    default:
      // A hidden token field may have a random name, but then its name is all there is to compare.
      if (name.startsWith('data-')) return refersToId(name) ? ids.clean(value) : cleanData(name, value, log);
      return refersToId(name) ? ids.clean(value) : value;
  }
}

function isCell(tag: Tag): boolean {
  return tag.node.name === 'td' || tag.node.name === 'th' || KEPT_ROLE.test(tag.get('role'));
}

function roleOf(tag: Tag, attribute: string): UrlRole {
  const { node } = tag;
  if (attribute === 'action' || attribute === 'formaction') return 'link';
  if (node.name === 'script') return 'code';
  if (node.name === 'link') {
    const isCode = CODE_LINKS.test(tag.get('rel')) || PRELOADED_CODE.has(tag.get('as'));
    return isCode ? 'code' : 'link';
  }
  return LOADED.has(node.name) ? 'picture' : 'link';
}

/** A URL has no spaces, and what stands between the URLs has no question mark. */
function cleanSrcset(value: string, log: NoiseLog): string {
  if (value.length > MAX_SRCSET_CHARS || !value.includes('?')) return value;
  return value
    .split(' ')
    .map((part) => (part.includes('?') ? cleanUrl(part, 'picture', log) : part))
    .join(' ');
}

function cleanField(tag: Tag, value: string, log: NoiseLog): string {
  if (tag.get('type').toLowerCase() !== 'hidden') return value;
  const kind = fieldKind(tag.get('name').toLowerCase());
  if (kind === null) return value;
  // A short number may select a session of a conference.
  const isLong = kind === 'session-id' && /^[\d-]{12,40}$/.test(value);
  const isDrawn = kind === 'csrf-token if drawn' && looksDrawn(value);
  if (kind !== 'csrf-token' && !isDrawn && !isLong && !looksRandom(value) && !isEpoch(value)) return value;
  return log.takes(kind === 'session-id' ? 'session-id' : 'csrf-token', value) ? IGNORED : value;
}

function cleanMeta(tag: Tag, value: string, log: NoiseLog): string {
  const name = (tag.get('name') || tag.get('property')).toLowerCase();
  if (name === '') return cleanPolicy(tag, value, log);
  if (SHARED_PICTURE.test(name)) return cleanUrl(value, 'picture', log);
  const kind = fieldKind(name);
  const isToken =
    kind === 'csrf-token if drawn' ? looksDrawn(value) : kind === 'csrf-token if random' && looksRandom(value);
  if (kind === 'csrf-token' || isToken) {
    return log.takes('csrf-token', value) ? IGNORED : value;
  }
  if (name === 'csp-nonce') return log.takes('nonce', value) ? IGNORED : value;
  return isRequestId(name, value) && log.takes('request-id', value) ? IGNORED : value;
}

function cleanPolicy(tag: Tag, value: string, log: NoiseLog): string {
  const header = tag.get('http-equiv').toLowerCase();
  if (header === 'x-request-id' && looksDrawn(value)) return log.takes('request-id', value) ? IGNORED : value;
  if (header === 'refresh') return cleanRefresh(value, log);
  if (!header.startsWith('content-security-policy') || !value.includes("'nonce-")) return value;
  return log.takes('nonce', value) ? value.replace(/'nonce-[^'\s]{1,200}'/g, "'nonce-*'") : value;
}

/** `5; url=/next?token=…`. The quote after the URL is lost with a token at its end. */
function cleanRefresh(value: string, log: NoiseLog): string {
  const start = value.toLowerCase().indexOf('url=') + 4;
  return start < 4 ? value : value.slice(0, start) + cleanUrl(value.slice(start), 'link', log);
}

function cleanData(name: string, value: string, log: NoiseLog): string | null {
  if (name === 'data-cfemail') {
    const address = decodeCloudflareEmail(value);
    return address !== null && log.takes('anti-bot', value) ? address : value;
  }
  if (name.startsWith('data-cf-modified-')) return log.takes('anti-bot', name) ? LEFT_OUT : value;
  const kind = dataKind(name, value);
  return kind !== null && log.takes(kind, value) ? IGNORED : value;
}

/** Rocket Loader puts a key before the type of every script, the same key for one response. */
function cleanScriptType(value: string, log: NoiseLog): string {
  const found = /^[0-9a-f]{24}-(?=[a-z]{0,11}\/|module)/i.exec(value);
  return found !== null && log.takes('anti-bot', value) ? value.slice(found[0].length) : value;
}

/**
 * Sorts the words of a class and removes repeated words. The results are cached, because sites
 * use the same few hundred classes on every page.
 */
function sortWords(value: string, log: NoiseLog): string {
  if (value.length > MAX_CLASS_CHARS || !/[ \t\n\f\r]/.test(value)) return value;
  let sorted = sortedClasses.get(value);
  if (sorted === undefined) {
    const words = value.split(/[ \t\n\f\r]+/).filter((word) => word !== '');
    sorted = [...new Set(words)].sort().join(' ');
    if (sortedClasses.size >= MAX_REMEMBERED) sortedClasses.clear();
    sortedClasses.set(value, sorted);
  }
  return sorted !== value && log.takes('attribute-order', value) ? sorted : value;
}

const sortedClasses = new Map<string, string>();
const MAX_CLASS_CHARS = 2_000;
const MAX_REMEMBERED = 10_000;

/**
 * Uses insertion sort: few elements have many attributes, and the built-in sort would need pairs. Equal names keep
 * their order, because the first one counts.
 */
function sortByName(attributes: readonly string[]): readonly string[] {
  const count = attributes.length / 2;
  if (count > MAX_INSERTED) return sortMany(attributes);
  const sorted = attributes.slice();
  for (let at = 2; at < sorted.length; at += 2) {
    const name = sorted[at]!;
    const value = sorted[at + 1]!;
    let to = at;
    for (; to > 0 && sorted[to - 2]! > name; to -= 2) {
      sorted[to] = sorted[to - 2]!;
      sorted[to + 1] = sorted[to - 1]!;
    }
    sorted[to] = name;
    sorted[to + 1] = value;
  }
  return sorted;
}

const MAX_INSERTED = 32;

function sortMany(attributes: readonly string[]): readonly string[] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < attributes.length; at += 2) pairs.push([attributes[at]!, attributes[at + 1]!]);
  return pairs.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)).flat();
}

function namesOf(attributes: readonly string[]): string {
  return attributes.filter((_, at) => at % 2 === 0).join(' ');
}
