/**
 * Every route of the API, as one table. The server, the OpenAPI document and the tests are made from it, so that none
 * of them can have a route that the others lack.
 */
import type { NamedSchema, ObjectSchema, Schema } from '../schema/schema.ts';
import { changesAnswer, changesQuery, seenMark } from './changes.ts';
import { copyDetail, copyList, copySummary, newCopy } from './copies.ts';
import { live } from './live.ts';
import {
  contentQuery,
  diffQuery,
  linksQuery,
  pageContent,
  pageDiff,
  pageFacts,
  pageHistory,
  pageLinks,
  urlQuery,
} from './page.ts';
import { ruleChanges, rules, runAnswer, runOrder } from './runs.ts';
import { advancedQuery, builtQuery, completions, completionsQuery, searchAnswer, searchQuery } from './search.ts';
import {
  broken,
  brokenQuery,
  hostDetail,
  hostList,
  hostsQuery,
  skipped,
  tree,
  treeQuery,
  urlList,
  urlsQuery,
} from './sites.ts';

export type Method = 'GET' | 'POST' | 'PATCH';

export interface Route {
  readonly method: Method;
  /** `{copy}` and `{host}` are parts of the path. */
  readonly path: string;
  readonly about: string;
  // biome-ignore lint/suspicious/noExplicitAny: the fields differ from route to route.
  readonly query?: ObjectSchema<any>;
  readonly body?: NamedSchema<unknown>;
  /** A schema for JSON; otherwise the content type of the answer. */
  readonly answer: Schema<unknown> | 'text/event-stream' | 'application/atom+xml';
  /** A write needs a token. */
  readonly isWrite?: boolean;
}

const COPY = '/api/copies/{copy}';

export const ROUTES = {
  listCopies: { method: 'GET', path: '/api/copies', about: 'All copies that this server shows.', answer: copyList },
  createCopy: {
    method: 'POST',
    path: '/api/copies',
    about: 'Makes a new copy and starts its crawl.',
    body: newCopy,
    answer: copySummary,
    isWrite: true,
  },
  getCopy: { method: 'GET', path: COPY, about: 'The counts and the state of a copy.', answer: copyDetail },
  getLive: { method: 'GET', path: `${COPY}/live`, about: 'What the run does, and how it went so far.', answer: live },
  getEvents: {
    method: 'GET',
    path: `${COPY}/events`,
    about:
      'Server-sent events: `live` (state, isStale and a Run, twice a second), `pages` (a list of LatestPage), `ready` ' +
      '(the number of the newest change, for a client without Last-Event-ID), `change` (a Change). The ids of ' +
      'changes are their numbers; with Last-Event-ID the stream continues after that change without a gap.',
    answer: 'text/event-stream',
  },
  orderRun: {
    method: 'POST',
    path: `${COPY}/run`,
    about: 'Starts, pauses, resumes or stops a crawl or a refresh.',
    body: runOrder,
    answer: runAnswer,
    isWrite: true,
  },
  getRules: { method: 'GET', path: `${COPY}/rules`, about: 'The rules of the crawl.', answer: rules },
  changeRules: {
    method: 'PATCH',
    path: `${COPY}/rules`,
    about: 'Changes rules of the fixed list. A running crawl takes them over within seconds.',
    body: ruleChanges,
    answer: rules,
    isWrite: true,
  },
  listHosts: {
    method: 'GET',
    path: `${COPY}/hosts`,
    about: 'Hosts with their counts.',
    query: hostsQuery,
    answer: hostList,
  },
  getHost: {
    method: 'GET',
    path: `${COPY}/hosts/{host}`,
    about: 'All that is known about a host.',
    answer: hostDetail,
  },
  getTree: {
    method: 'GET',
    path: `${COPY}/tree`,
    about: 'The folders and URLs in a folder of a host.',
    query: treeQuery,
    answer: tree,
  },
  listUrls: {
    method: 'GET',
    path: `${COPY}/urls`,
    about: 'Known URLs, in the order of discovery.',
    query: urlsQuery,
    answer: urlList,
  },
  getSkipped: {
    method: 'GET',
    path: `${COPY}/skipped`,
    about: 'URLs that were not fetched, by reason, with examples and the option that would change it.',
    answer: skipped,
  },
  getBroken: {
    method: 'GET',
    path: `${COPY}/broken`,
    about: 'Broken links, and the pages that have them.',
    query: brokenQuery,
    answer: broken,
  },
  getPage: {
    method: 'GET',
    path: `${COPY}/page`,
    about: 'What is known about a URL, and why it was or was not fetched.',
    query: urlQuery,
    answer: pageFacts,
  },
  getHistory: {
    method: 'GET',
    path: `${COPY}/page/history`,
    about: 'The stored responses of a URL.',
    query: urlQuery,
    answer: pageHistory,
  },
  getDiff: {
    method: 'GET',
    path: `${COPY}/page/diff`,
    about: 'The difference between two versions of a page.',
    query: diffQuery,
    answer: pageDiff,
  },
  getLinks: {
    method: 'GET',
    path: `${COPY}/page/links`,
    about: 'Links to a page and from it.',
    query: linksQuery,
    answer: pageLinks,
  },
  getContent: {
    method: 'GET',
    path: `${COPY}/page/content`,
    about: 'The content of a page, also of an earlier time.',
    query: contentQuery,
    answer: pageContent,
  },
  listChanges: {
    method: 'GET',
    path: `${COPY}/changes`,
    about: 'Changes, newest first.',
    query: changesQuery,
    answer: changesAnswer,
  },
  getFeed: {
    method: 'GET',
    path: `${COPY}/changes.atom`,
    about: 'The same changes as an Atom feed.',
    query: changesQuery,
    answer: 'application/atom+xml',
  },
  markSeen: {
    method: 'POST',
    path: `${COPY}/changes/seen`,
    about: 'Marks all changes up to a number as seen.',
    body: seenMark,
    answer: seenMark,
    isWrite: true,
  },
  search: {
    method: 'GET',
    path: `${COPY}/search`,
    about: 'Searches the text of the copy.',
    query: searchQuery,
    answer: searchAnswer,
  },
  complete: {
    method: 'GET',
    path: `${COPY}/search/completions`,
    about: 'Completes a word.',
    query: completionsQuery,
    answer: completions,
  },
  buildQuery: {
    method: 'GET',
    path: '/api/search/query',
    about: 'Writes the query of an advanced search.',
    query: advancedQuery,
    answer: builtQuery,
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof ROUTES;

type AnswerSchema<N extends RouteName> = (typeof ROUTES)[N]['answer'];
/** What a route answers. */
export type Answer<N extends RouteName> = AnswerSchema<N> extends Schema<infer T> ? T : string;
/** The query parameters of a route. */
export type Query<N extends RouteName> = (typeof ROUTES)[N] extends { query: Schema<infer T> }
  ? T
  : Record<never, never>;
/** The body of a request. */
export type Body<N extends RouteName> = (typeof ROUTES)[N] extends { body: Schema<infer T> } ? T : undefined;
