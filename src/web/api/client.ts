/**
 * Asks the server. In: the name of a route of the contract, the parts of its path, its query and its body, all typed.
 * Out: its answer, or an ApiError whose message says what happened.
 */
import type { Answer, Body, Query, ROUTES, RouteName } from '../../serve/contract/routes.ts';
import { authorization } from './token.ts';

const COPY = '/api/copies/{copy}';

/** The pages import only types of the contract. The compiler ensures that these paths are those of its table. */
const PATHS: { readonly [N in RouteName]: (typeof ROUTES)[N]['path'] } = {
  listCopies: '/api/copies',
  createCopy: '/api/copies',
  getCopy: COPY,
  getLive: `${COPY}/live`,
  getEvents: `${COPY}/events`,
  orderRun: `${COPY}/run`,
  getRules: `${COPY}/rules`,
  changeRules: `${COPY}/rules`,
  listHosts: `${COPY}/hosts`,
  getHost: `${COPY}/hosts/{host}`,
  getTree: `${COPY}/tree`,
  listUrls: `${COPY}/urls`,
  getSkipped: `${COPY}/skipped`,
  getBroken: `${COPY}/broken`,
  getPage: `${COPY}/page`,
  getHistory: `${COPY}/page/history`,
  getDiff: `${COPY}/page/diff`,
  getLinks: `${COPY}/page/links`,
  getContent: `${COPY}/page/content`,
  listChanges: `${COPY}/changes`,
  getFeed: `${COPY}/changes.atom`,
  markSeen: `${COPY}/changes/seen`,
  search: `${COPY}/search`,
  complete: `${COPY}/search/completions`,
  buildQuery: '/api/search/query',
};

export type Get = { [N in RouteName]: (typeof ROUTES)[N]['method'] extends 'GET' ? N : never }[RouteName];
export type Write = Exclude<RouteName, Get>;
export interface PathParts {
  readonly copy?: string;
  readonly host?: string;
}

export class ApiError extends Error {
  readonly code: string;
  /** 0 if the server did not answer. */
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export function addressOf<N extends RouteName>(name: N, parts: PathParts = {}, query?: Query<N>): string {
  const path = PATHS[name]
    .replace('{copy}', encodeURIComponent(parts.copy ?? ''))
    .replace('{host}', encodeURIComponent(parts.host ?? ''));
  const given = Object.entries((query ?? {}) as Record<string, unknown>).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

export const api = {
  async get<N extends Get>(name: N, parts?: PathParts, query?: Query<N>, signal?: AbortSignal): Promise<Answer<N>> {
    const response = await request(addressOf(name, parts, query), signal ? { signal } : {});
    return (await response.json()) as Answer<N>;
  },

  async send<N extends Write>(name: N, parts: PathParts, body: Body<N>): Promise<Answer<N>> {
    const method = name === 'changeRules' ? 'PATCH' : 'POST';
    const headers = { 'Content-Type': 'application/json' };
    const response = await request(addressOf(name, parts), { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as Answer<N>;
  },
};

/** Throws an ApiError for every answer that is not a success. An aborted request throws the reason of the abort. */
export async function request(address: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { ...options, headers: { ...options.headers, ...authorization() } });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError('unreachable', 0, 'The server does not answer. It may have been stopped.');
  }
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({}))) as { error?: { code?: string; message?: string } };
  throw new ApiError(
    error?.code ?? 'unknown',
    response.status,
    error?.message ?? `The server answered with status ${response.status}.`,
  );
}
