import {
  endOfOrdinaryAuthority,
  endOfOrdinaryPath,
  endOfOrdinaryQuery,
  endOfSettledAuthority,
  NOT_ORDINARY,
} from './ordinary-text.ts';
import { compileQueryRules } from './query-parameters.ts';
import { type FormRules, MAX_HOST_CHARS, MAX_URL_CHARS, questioned, standardForm } from './standard-form.ts';

/**
 * Gives each URL one spelling. In: any text of an href. Out: the normal form of docs/url-normal-form.md, or null if the
 * text is not an http or https URL. What always holds: the normal form of a normal form is itself; it is ASCII, has a
 * path and has no user name; and the fast paths below return exactly the result of standard-form.ts.
 *
 * A returned string may share memory with the href that it came from. A
 * caller that keeps it for long should keep a copy.
 */

export { TRACKING_PARAMETERS } from './tracking-parameters.ts';

const FRAGMENT_RULES = ['never', 'hashbang'] as const;
export type FragmentRule = (typeof FRAGMENT_RULES)[number];

export interface NormalizeRules {
  /** Sorts the parameters of the query by name. Off by default, because some servers depend on their order. */
  readonly sortQuery: boolean;
  /** Names of parameters to drop. A `*` at the end of a name matches any ending. */
  readonly dropParameters: readonly string[];
  /** `hashbang` keeps `#!…`, which old single-page sites used as a second path. */
  readonly keepFragment: FragmentRule;
}

export const DEFAULT_NORMALIZE_RULES: NormalizeRules = { sortQuery: false, dropParameters: [], keepFragment: 'never' };

/** Resolves the links of one page. */
export type LinkResolver = (href: string) => string | null;

const MAX_KNOWN_ORIGINS = 4096;
const SLASH = 0x2f;
const DOT = 0x2e;
const HASH = 0x23;
const QUESTION = 0x3f;

export class UrlNormalizer {
  readonly #rules: FormRules;
  /** Maps a scheme and authority as written to their normal form. Pages link to the same few hosts again and again. */
  readonly #origins = new Map<string, string | null>();

  constructor(rules: NormalizeRules = DEFAULT_NORMALIZE_RULES) {
    this.#rules = {
      keepHashbang: rules.keepFragment === 'hashbang',
      rewriteQuery: compileQueryRules(rules.sortQuery, rules.dropParameters),
    };
  }

  /** The normal form of an absolute URL. */
  normalize(url: string): string | null {
    const start = schemeEnd(url);
    if (start === 0 || url.length > MAX_URL_CHARS) return standardForm(url, undefined, this.#rules);
    return this.#absolute(url, start);
  }

  resolver(base: string): LinkResolver {
    const normalized = this.normalize(base);
    if (normalized === null) return (href) => this.normalize(href);
    // A link never inherits the fragment of its page.
    const normalBase = normalized.split('#', 1)[0]!;
    const page = splitBase(normalBase);

    return (href) => {
      const first = href.charCodeAt(0);
      if (href.length > MAX_URL_CHARS) return null;
      if (first === SLASH) {
        if (href.charCodeAt(1) === SLASH) return this.#absolute(page.scheme + href, page.scheme.length + 2);
        return this.#join(page.origin, href, 0, endOfOrdinaryPath(href, 0), normalBase);
      }
      if (href === '') return normalBase;
      if (first === HASH && !this.#rules.keepHashbang) return normalBase;
      if (first === QUESTION) return this.#join(page.path, href, 0, endOfOrdinaryQuery(href, 1), normalBase);
      const start = schemeEnd(href);
      if (start !== 0) {
        const isOwnHost = href.charCodeAt(page.origin.length) === SLASH && href.startsWith(page.origin);
        return isOwnHost ? this.#behindOrigin(href, page.origin.length) : this.#absolute(href, start);
      }

      let directory = page.directory;
      let from = 0;
      while (href.charCodeAt(from) === DOT) {
        if (href.charCodeAt(from + 1) === SLASH) from += 2;
        else if (href.startsWith('../', from)) {
          directory = parentDirectory(directory, page.origin.length);
          from += 3;
        } else break;
      }
      return this.#join(directory, href, from, endOfOrdinaryPath(href, from), normalBase);
    };
  }

  /** `text` begins with the scheme and `//`; `start` is the index after them. */
  #absolute(text: string, start: number): string | null {
    const settledEnd = endOfSettledAuthority(text, start);
    if (settledEnd - start > MAX_HOST_CHARS) return null;
    if (settledEnd !== NOT_ORDINARY) return this.#behindOrigin(text, settledEnd);
    const authorityEnd = endOfOrdinaryAuthority(text, start);
    if (authorityEnd === NOT_ORDINARY) return standardForm(text, undefined, this.#rules);
    const written = text.slice(0, authorityEnd);
    let origin = this.#origins.get(written);
    if (origin === undefined) origin = this.#learnOrigin(written);
    if (origin === null) return null;
    if (text.charCodeAt(authorityEnd) !== SLASH) return standardForm(text, undefined, this.#rules);
    return this.#join(origin, text, authorityEnd, endOfOrdinaryPath(text, authorityEnd), undefined);
  }

  /** `text` is in normal form up to `pathAt`. If the rest is in normal form too, nothing has to be built. */
  #behindOrigin(text: string, pathAt: number): string | null {
    const end = endOfOrdinaryPath(text, pathAt);
    const isWhole = end === text.length && text.charCodeAt(end - 1) !== QUESTION && this.#rules.rewriteQuery === null;
    return isWhole ? text : this.#join(text.slice(0, pathAt), text, pathAt, end, undefined);
  }

  /**
   * Joins `prefix` and `text` from `from` to `end`. Returns the standard
   * form if `end` says that the text is not ordinary.
   */
  #join(prefix: string, text: string, from: number, end: number, base: string | undefined): string | null {
    if (end === NOT_ORDINARY || (end < text.length && this.#rules.keepHashbang)) {
      return standardForm(text, base, this.#rules);
    }
    const rest = from === 0 && end === text.length ? text : text.slice(from, end);
    let url = prefix + rest;
    const { rewriteQuery } = this.#rules;
    if (rewriteQuery !== null || text.charCodeAt(end - 1) === QUESTION) {
      const question = rest.indexOf('?');
      if (question !== -1) {
        const query = rest.slice(question + 1);
        url = prefix + rest.slice(0, question) + questioned(rewriteQuery === null ? query : rewriteQuery(query));
      }
    }
    return url.length > MAX_URL_CHARS ? null : url;
  }

  #learnOrigin(written: string): string | null {
    const form = standardForm(`${written}/`, undefined, this.#rules);
    const origin = form === null ? null : form.slice(0, -1);
    if (this.#origins.size >= MAX_KNOWN_ORIGINS) this.#origins.clear();
    // Stores a copy: a slice of an href that is itself a slice of a page would keep the whole page in memory.
    this.#origins.set(Buffer.from(written, 'latin1').toString('latin1'), origin);
    return origin;
  }
}

/** The index after `http://` or `https://` in lower case, or 0 if the text does not begin with either. */
function schemeEnd(text: string): number {
  if (text.startsWith('http://')) return 7;
  return text.startsWith('https://') ? 8 : 0;
}

interface Base {
  /** `http:` */
  readonly scheme: string;
  /** `http://host:port` */
  readonly origin: string;
  /** The URL without its query. */
  readonly path: string;
  /** The URL up to and including the last slash of the path. */
  readonly directory: string;
}

function splitBase(normalBase: string): Base {
  const question = normalBase.indexOf('?');
  const path = question === -1 ? normalBase : normalBase.slice(0, question);
  return {
    scheme: path.slice(0, path.indexOf('/')),
    origin: path.slice(0, path.indexOf('/', 8)),
    path,
    directory: path.slice(0, path.lastIndexOf('/') + 1),
  };
}

function parentDirectory(directory: string, originLength: number): string {
  if (directory.length === originLength + 1) return directory;
  return directory.slice(0, directory.lastIndexOf('/', directory.length - 2) + 1);
}

/** Whether a text is a URL without its scheme, as people copy it from an address bar: `example.com/a`. */
export function lacksScheme(text: string): boolean {
  return /^[\w.-]+\.[a-z]{2,}(?:[:/]|$)/i.test(text);
}
