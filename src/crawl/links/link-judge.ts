/**
 * Judges the links of a page. In: the links of a parsed page. Out: each URL once, resolved and normalised, judged by
 * the scope, the traps and the depth limit, with the attributes of the link on the page (E6). A URL that the unit knows
 * to be in the store is reported by its id alone.
 */
import { detached } from '../../core/copy-text.ts';
import type { CrawlOptions, OptionName } from '../../core/options/options.ts';
import type { Reason } from '../../core/reasons.ts';
import { attributeCode } from '../../graph/link-attributes.ts';
import { targetOf } from '../../graph/link-list.ts';
import type { LinkKind, PageLink, ParsedPage } from '../../page/parsed-page.ts';
import { CLASS_OF_KIND } from '../../page/reference-kinds.ts';
import type { ClaimedUrl, FoundUrl, ParameterLesson } from '../../store/contract.ts';
import { REVIVED } from '../../store/rules/left-out.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { isSpotChecked } from '../../url/query-parameters.ts';
import { compileScope } from '../../url/scope.ts';
import { compileTraps } from '../../url/traps/judge-traps.ts';
import { pathPattern } from '../../url/traps/path-pattern.ts';
import { findSessionId } from '../../url/traps/session-id.ts';
import {
  asGuess,
  asTrial,
  isGuess,
  judgeSitemapChain,
  looksLikeSitemap,
  redirectsIn,
  withoutRedirects,
} from '../../url/traps/sitemap-chain.ts';
import { type ActionGuard, actionGuardFor } from './action-guard.ts';
import { DistinctLinks, isStronger } from './distinct-links.ts';
import { entryTimes, isSource } from './entry-times.ts';
import { KnownUrls, LEFT_OUT } from './known-urls.ts';
import { normalizerFor, resolverFor } from './link-forms.ts';
import { kindsFollowed } from './links-wanted.ts';
import { ParameterLessons } from './parameter-lessons.ts';
import {
  hopsTo,
  namesSitemap,
  type SitemapCount,
  SitemapLinks,
  type SitemapRules,
  usualSitemap,
} from './sitemap-links.ts';
import type { LinkPromise, PageFocus } from './topic-judge.ts';
import { isBetter, pathOf } from './topic-judge.ts';

export interface JudgedLinks {
  /** Link values: ids with attributes. */
  readonly knownLinks: number[];
  readonly foundLinks: FoundUrl[];
  readonly foundAttributes: number[];
  readonly knownPromises: number[];
  /** Present for a sitemap or feed: when each entry last changed, as the document states it. */
  readonly knownTimesMs?: number[];
  readonly foundTimesMs?: number[];
}

/** A URL with query parameters that do not change the content, or that may not change it. */
export interface Variant {
  /** The URL without these parameters. */
  readonly standIn: FoundUrl;
  /**
   * True: only the stand-in is fetched. False: both URLs are fetched, to check whether
   * their content is (still) the same.
   */
  readonly isLeftOut: boolean;
}

/** The controller ranks found URLs; a unit knows too little of the link graph. */
const UNRANKED = 0;

/**
 * Assets may be this many steps beyond `--depth`: a page at the limit is complete only with its style sheets, their
 * imports and their fonts. The number limits chains of imports without end.
 */
const ASSET_STEPS = 20;

/** A link that is skipped for one of these reasons is not cached as known: it is judged again each time it is found. */
const JUDGED_AGAIN: readonly Reason[] = [...REVIVED, 'trap-session-id'];

const NO_PATHS: ReadonlyMap<string, number> = new Map();

export class LinkJudge {
  #known = new KnownUrls();
  readonly #knownLinks = new DistinctLinks();
  /** Guesses that the store has. A link to one of them is still reported, so that it becomes a link in the store. */
  readonly #guesses = new KnownUrls();
  /**
   * Reported URLs whose ids are not known yet. The pages of a site share their new links;
   * each is judged and reported once.
   */
  #reported = new Map<string, FoundUrl>();
  readonly #options: CrawlOptions;
  readonly #normalizer: UrlNormalizer;
  readonly #seeds: Set<string>;
  #seedHosts: ReadonlySet<string> = new Set();
  #scope: (url: string) => Reason | null;
  readonly #traps: (url: string) => Reason | null;
  /** The kinds of links that are used. The links of pages may be restricted further. */
  readonly #kinds: ReadonlySet<LinkKind>;
  readonly #pageKinds: ReadonlySet<LinkKind>;
  /** Null if links that change something may be followed. */
  readonly #actions: ActionGuard | null;
  readonly #parameters: ParameterLessons;
  readonly #sitemaps: SitemapLinks;
  /** Hosts on whose pages a link to another site counts as a link to the main page of that site. */
  readonly #watched: ReadonlySet<string>;

  constructor(
    options: CrawlOptions,
    seeds: readonly string[],
    lessons: readonly ParameterLesson[] = [],
    watchedHosts: readonly string[] = [],
    secrets: readonly OptionName[] = [],
  ) {
    this.#options = options;
    this.#watched = new Set(options.otherSites === 'main' ? watchedHosts : []);
    this.#normalizer = normalizerFor(options);
    this.#sitemaps = new SitemapLinks(this.#normalizer, options.maxSitemaps);
    this.#seeds = new Set(seeds);
    this.#scope = this.#compileScope();
    this.#traps = compileTraps({ maxUrlLength: options.maxUrlLength, maxDirectories: options.maxDirectories });
    this.#parameters = new ParameterLessons(lessons);
    this.#actions = actionGuardFor(options, secrets);
    const kinds = kindsFollowed(options);
    this.#kinds = this.#actions?.without(kinds) ?? kinds;
    this.#pageKinds = options.sitemapOnly ? new Set([...this.#kinds].filter(isAssetKind)) : this.#kinds;
  }

  /** Returns the links of a page, one entry per URL. `focus` is set if the crawl has a topic. */
  linksOf(page: ParsedPage, pageUrl: string, depth: number, focus: PageFocus | null = null, hops = 0): JudgedLinks {
    const host = hostOf(pageUrl);
    const isWatched = this.#watched.has(host);
    const kinds = isSource(page) ? this.#kinds : this.#pageKinds;
    const reading: PageReading = {
      page,
      pageUrl,
      host,
      isWatched,
      depth,
      hops,
      focus,
      labelled: this.#actions?.labelledIn(page),
      resolve: null,
      isSameHost: false,
      foundLinks: [],
      foundAttributes: [],
      seen: new Map(),
    };
    // With a base, even a path can point to another host.
    const paths = page.base === null ? this.#known.pathsOf(host) : NO_PATHS;
    const known = this.#knownLinks.clear();
    const promises = new Map<number, number>();
    // Most links are known as written: as a path of this host, or as a full URL in normal form. New links are judged
    // elsewhere, because a loop that contained everything took the compiler twice as long.
    for (const link of page.links) {
      const { href, kind, nofollow, visibility, position } = link;
      if (!kinds.has(kind)) continue;
      if (nofollow && !this.#options.ignoreNofollow) continue;
      let isSameHost = isPath(href);
      let id = isSameHost ? paths.get(href) : isWatched ? undefined : this.#known.get(href);
      if (id === undefined) {
        id = this.#unknownAsWritten(link, reading);
        if (id === undefined) continue;
        isSameHost = reading.isSameHost;
      } else if (!isSameHost) isSameHost = isOfHost(href, host);
      if (id === LEFT_OUT) continue;
      if (focus !== null) {
        const { relevance, isHigh } = focus.promiseOf(link, this.#resolve(href, reading) ?? pageUrl);
        if (isHigh) promises.set(id, Math.max(relevance, promises.get(id) ?? 0));
      }
      known.add(id, attributeCode(visibility, position, isSameHost));
    }
    const knownLinks = known.values();
    const knownPromises = focus === null ? [] : knownLinks.map((value) => promises.get(targetOf(value)) ?? 0);
    const { foundLinks, foundAttributes } = reading;
    const judged = { knownLinks, foundLinks, foundAttributes, knownPromises };
    if (!isSource(page)) return judged;
    const resolve = (href: string) => this.#resolve(href, reading);
    return { ...judged, ...entryTimes(page, judged, resolve, (url) => this.#known.get(url)) };
  }

  /**
   * Resolves a link that is not known as it is written. Returns its id if its URL is known. Otherwise the link is
   * judged and added to the found links, unless it is left out.
   */
  #unknownAsWritten(link: PageLink, reading: PageReading): number | undefined {
    const { href, kind } = link;
    const { page, host, isWatched, seen } = reading;
    let url = this.#resolve(href, reading);
    if (url === null) return undefined;
    reading.isSameHost = isOfHost(url, host);
    if (isWatched && !reading.isSameHost) url = `${hostOf(url)}/`;
    const id = this.#known.get(url);
    if (id !== undefined) {
      if (isPath(href) && page.base === null) this.#known.addPath(host, href, id);
      return id;
    }
    const guess = CLASS_OF_KIND[kind] === 'guess' && !seen.has(url) ? this.#guesses.get(url) : undefined;
    if (guess === undefined) this.#addNew(link, url, reading);
    return guess;
  }

  #addNew(link: PageLink, url: string, reading: PageReading): void {
    const { href, kind, visibility, position } = link;
    const { page, depth, hops, focus, labelled, isSameHost, seen, foundLinks, foundAttributes } = reading;
    const code = attributeCode(visibility, position, isSameHost);
    const place = seen.get(url);
    if (place !== undefined) {
      if (place >= 0 && isStronger(code, foundAttributes[place]!)) foundAttributes[place] = code;
      return;
    }
    const promise = focus?.promiseOf(link, url) ?? null;
    const reported = this.#reported.get(url);
    const linkHops = CLASS_OF_KIND[kind] === 'guess' ? asGuess(0) : hopsTo(page, link, hops);
    const isLabelled = labelled?.has(href) ?? false;
    const isAsset = isAssetKind(kind);
    const isReported = reported !== undefined && reported.depth <= depth + 1 && reported.hops <= linkHops;
    if (isReported && !mayEnd(reported.skip, isLabelled, isAsset) && !isBetter(promise, reported))
      foundLinks.push(reported);
    else {
      const count = namesSitemap(page, link) ? this.#sitemaps.countOf(url, isSameHost) : null;
      const original = url.endsWith(href) ? null : href;
      const from = { depth: depth + 1, hops: linkHops, original, count, isLabelled, isAsset };
      this.#judge(url, from, promise, foundLinks);
    }
    seen.set(url, foundLinks.length > foundAttributes.length ? foundLinks.length - 1 : -1);
    while (foundAttributes.length < foundLinks.length) foundAttributes.push(code);
  }

  /** Most pages of a site contain only links that are known as written, so the resolver is created only when needed. */
  #resolve(href: string, reading: PageReading): string | null {
    reading.resolve ??= this.#resolverFor(reading.page, reading.pageUrl);
    return reading.resolve(href);
  }

  /** Stores the ids that the store has assigned to these links. */
  learn(links: readonly FoundUrl[], ids: readonly number[]): void {
    for (const [i, link] of links.entries()) {
      const { url } = link;
      if (this.#reported.get(url) === link) this.#reported.delete(url);
      // A link skipped for its depth, its topic or its sitemap chain may be found again where the reason does not hold.
      // A link with a session id also stands for a second link, on every page that contains it.
      // A URL that may be tried as a sitemap is reported again, in case it is a link on another page.
      if (link.skip !== null ? JUDGED_AGAIN.includes(link.skip) : looksLikeSitemap(url)) continue;
      (link.skip === null && isGuess(link.hops) ? this.#guesses : this.#known).set(url, ids[i]!);
    }
  }

  /** The canonical URL that a page names, if it is another URL (C7); with the reason if it is not to be fetched. */
  canonicalOf(page: ParsedPage, task: ClaimedUrl): FoundUrl | null {
    const { url: pageUrl, depth } = task;
    if (page.canonical === null || page.canonical === pageUrl || this.#options.sitemapOnly) return null;
    const url = this.#resolverFor(page, pageUrl)(page.canonical);
    if (url === null || url === pageUrl) return null;
    const skip = this.#scope(url) ?? this.#traps(url) ?? this.refusesAction(url);
    return { ...this.found(url, depth, 0, skip), ...pathOf(task) };
  }

  /** The target of a redirect, judged; null if the target is not a web URL. */
  redirectOf(target: string, from: ClaimedUrl): FoundUrl | null {
    const url = this.#normalizer.normalize(target);
    if (url === null) return null;
    const hops = from.hops + 1;
    const tooMany = redirectsIn(hops) > this.#options.maxRedirects ? 'too-many-redirects' : null;
    const skip = this.#scope(url) ?? this.#traps(url) ?? this.refusesAction(url) ?? tooMany;
    return { ...this.found(url, from.depth, hops, skip, url === target ? null : target), ...pathOf(from) };
  }

  /** Why a URL that was found under former rules is left out now; null if it is not. */
  leavesOut({ url, depth, hops }: Pick<ClaimedUrl, 'url' | 'depth' | 'hops'>): Reason | null {
    const reason = this.#scope(url);
    // A sitemap that robots.txt names may be outside the scope.
    if (reason !== null && (reason === 'excluded' || depth > 0)) return reason;
    const { assets, images, guess } = this.#options;
    if (!guess && isGuess(hops)) return 'guess-unwanted';
    // It is not known any more whether the URL was found as a part of a page.
    const maxDepth = this.#options.depth + (assets || images ? ASSET_STEPS : 0);
    return depth > maxDepth ? 'too-deep' : null;
  }

  /** True if the crawl judges links by their labels. */
  get readsLabels(): boolean {
    return this.#actions !== null;
  }

  /** Also called before a URL is requested, because an earlier run may have found it without a login. */
  refusesAction(url: string): Reason | null {
    return this.#actions === null || this.#seeds.has(url) ? null : this.#actions.refuses(url);
  }

  learnParameter(lesson: ParameterLesson): void {
    this.#parameters.learn(lesson);
  }

  /** Called before a URL is fetched. Returns null if the URL has no such parameter, or if no stand-in is allowed. */
  variantOf(task: ClaimedUrl): Variant | null {
    const { url } = task;
    const standInAt = (other: string): FoundUrl => ({
      ...this.found(other, task.depth, withoutRedirects(task.hops), null),
      ...pathOf(task),
    });
    const ignoring = this.#withoutIgnored(url);
    if (ignoring !== null) {
      return { standIn: standInAt(ignoring), isLeftOut: !isSpotChecked(urlKeyHex(url)) };
    }
    const probe = this.#admitted(url, this.#parameters.probe(url));
    return probe === null ? null : { standIn: standInAt(probe), isLeftOut: false };
  }

  #withoutIgnored(url: string): string | null {
    return this.#admitted(url, this.#parameters.withoutIgnored(url));
  }

  /** A stand-in must itself be inside the crawl. A URL that the user typed is fetched as typed. */
  #admitted(url: string, instead: string | null): string | null {
    if (instead === null || this.#seeds.has(url)) return null;
    const standIn = this.#normalizer.normalize(instead);
    if (standIn === null || standIn === url || findSessionId(standIn) !== null) return null;
    return (this.#scope(standIn) ?? this.#traps(standIn)) === null ? standIn : null;
  }

  /** A site that moved is still the site the user asked for, so the target of a redirect of a seed becomes a seed. */
  followSeed(from: string, target: string): string | null {
    const url = this.#seeds.has(from) ? this.#normalizer.normalize(target) : null;
    if (url === null || this.#seeds.has(url)) return null;
    this.addSeed(url);
    return url;
  }

  addSeed(url: string): void {
    this.#seeds.add(url);
    this.#scope = this.#compileScope();
    // URLs that were left out may be inside the scope now.
    this.#known = new KnownUrls();
    this.#reported = new Map();
  }

  #compileScope(): (url: string) => Reason | null {
    const { scope, include, exclude, maxUrlLength } = this.#options;
    this.#seedHosts = new Set(Array.from(this.#seeds, hostOf));
    return compileScope({ scope, seeds: [...this.#seeds], include, exclude, maxUrlLength });
  }

  /** The sitemaps of a host: those that its robots.txt names or, if it names none, the usual place of a sitemap. */
  sitemapsOf(robots: SitemapRules, host: string): FoundUrl[] {
    const urls = robots.sitemaps.map((text) => this.#sitemaps.resolve(text, host));
    const named = urls.flatMap((url) => this.#sitemapAt(url, host, 0) ?? []);
    if (robots.sitemaps.length > 0 || !this.#triesSitemapOf(host)) return named;
    const usual = usualSitemap(host);
    return robots.refuses(usual) === null ? (this.#sitemapAt(usual, host, asTrial(0)) ?? []) : [];
  }

  /** A sitemap must be on the host itself, or inside the scope. */
  #sitemapAt(url: string | null, host: string, hops: number): [FoundUrl] | null {
    if (url === null || this.#options.scope === 'page' || this.#traps(url) !== null) return null;
    const leftOut = this.#scope(url);
    if (leftOut !== null && (leftOut === 'excluded' || hostOf(url) !== host)) return null;
    return [{ ...this.found(url, 0, hops, null), ...this.#sitemaps.countOf(url, isOfHost(url, host)) }];
  }

  /** No host is asked in vain: entries must be within the depth, and a crawl of any host only visits most of them. */
  #triesSitemapOf(host: string): boolean {
    const { scope, depth } = this.#options;
    return depth > 0 && (scope !== 'any' || this.#seedHosts.has(host));
  }

  /** The task, with fewer hops if the robots.txt of its host names it as a sitemap. */
  asNamed(task: ClaimedUrl, sitemaps: readonly string[]): ClaimedUrl {
    return this.#sitemaps.asNamed(task, sitemaps);
  }

  /** A page that the watcher of a host reports, judged like a link. Empty if the page is outside the scope. */
  judgeReported(url: string): FoundUrl[] {
    const found: FoundUrl[] = [];
    // This judge never learns ids, so URLs that were judged before are judged again.
    this.#reported.clear();
    const from = { depth: 1, hops: 0, original: null, count: null, isLabelled: false, isAsset: false };
    this.#judge(url, from, null, found);
    return found;
  }

  found(url: string, depth: number, hops: number, skip: Reason | null, original: string | null = null): FoundUrl {
    const own = detached(url);
    return {
      url: own,
      key: urlKeyHex(own),
      host: hostOf(own),
      original: original && detached(original),
      depth,
      hops,
      rank: UNRANKED,
      relevance: null,
      trail: null,
      skip,
      pattern: pathPattern(own),
    };
  }

  #judge(url: string, from: LinkFrom, promise: LinkPromise | null, foundLinks: FoundUrl[]): void {
    const { depth, hops, original, count, isAsset } = from;
    if (this.#scope(url) !== null) {
      this.#known.set(url, LEFT_OUT);
      return;
    }
    const session = findSessionId(url);
    if (session !== null) {
      foundLinks.push(this.found(url, depth, hops, session.reason));
      const instead = this.#normalizer.normalize(session.instead);
      if (instead === null || this.#scope(instead) !== null) return;
      url = instead;
    }
    const maxDepth = this.#options.depth + (isAsset ? ASSET_STEPS : 0);
    const tooDeep = depth > maxDepth ? 'too-deep' : null;
    const offTopic = promise?.isCut ? 'off-topic' : null;
    const action = this.refusesAction(url) ?? (from.isLabelled ? this.#actions!.refusesLabelled(url) : null);
    const skip = this.#traps(url) ?? action ?? judgeSitemapChain(hops) ?? tooDeep ?? offTopic;
    const way = promise === null ? {} : { relevance: promise.relevance, trail: promise.trail };
    const standIn = skip === null ? this.#withoutIgnored(url) : null;
    if (standIn !== null && this.#known.get(standIn) === undefined) {
      // The stand-in comes first, so that the store knows it when it judges the other URL.
      const reported = this.#reported.get(standIn);
      const isReported = reported !== undefined && reported.skip === null && reported.depth <= depth;
      this.#report(isReported ? reported : { ...this.found(standIn, depth, hops, null), ...way }, foundLinks);
    }
    const link = { ...this.found(url, depth, hops, skip, original), ...way, ...count };
    const isLeftOut = standIn !== null && !isSpotChecked(link.key);
    this.#report(isLeftOut ? { ...link, skip: 'ignored-parameter' } : link, foundLinks);
  }

  #report(link: FoundUrl, foundLinks: FoundUrl[]): void {
    foundLinks.push(link);
    this.#reported.set(link.url, link);
  }

  #resolverFor(page: ParsedPage, pageUrl: string): (href: string) => string | null {
    return resolverFor(page, pageUrl, this.#normalizer, this.#options.maxUrlLength);
  }
}

/** The state of reading the links of one page. */
interface PageReading {
  readonly page: ParsedPage;
  readonly pageUrl: string;
  readonly host: string;
  /** True if a link to another site counts as a link to the main page of that site. */
  readonly isWatched: boolean;
  readonly depth: number;
  readonly hops: number;
  readonly focus: PageFocus | null;
  /** The links whose labels name an action, as written. */
  readonly labelled: ReadonlySet<string> | undefined;
  resolve: ((href: string) => string | null) | null;
  /** True if the last resolved link leads to the host of the page. */
  isSameHost: boolean;
  readonly foundLinks: FoundUrl[];
  readonly foundAttributes: number[];
  /** The index in `foundAttributes` of each URL already seen on this page; -1 for a URL that is left out. */
  readonly seen: Map<string, number>;
}

/** Where a link was found, and how it was written. */
interface LinkFrom {
  readonly depth: number;
  readonly hops: number;
  readonly original: string | null;
  /** Set if the link declares its target to be a sitemap. */
  readonly count: SitemapCount | null;
  /** The label of the link names an action. */
  readonly isLabelled: boolean;
  /** True if the target is a part of the page. */
  readonly isAsset: boolean;
}

function isAssetKind(kind: LinkKind): boolean {
  return CLASS_OF_KIND[kind] === 'asset';
}

/** True if a link that was left out may be followed now: it has no such label here, or is a part of the page. */
function mayEnd(skip: Reason | null, isLabelled: boolean, isAsset: boolean): boolean {
  return (skip === 'action-link' && !isLabelled) || (skip === 'too-deep' && isAsset);
}

/** Whether a URL in normal form belongs to a host. The host ends where the path begins. */
function isOfHost(url: string, host: string): boolean {
  return url.charCodeAt(host.length) === 0x2f && url.startsWith(host);
}

/** Whether the link is a `/path`, which means the same on every page of a host. `//host/path` is not a path. */
function isPath(href: string): boolean {
  return href.charCodeAt(0) === 0x2f && href.charCodeAt(1) !== 0x2f && href.charCodeAt(1) !== 0x5c;
}
