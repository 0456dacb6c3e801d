/** Finds the route of a request. In: a method and a path. Out: the name of the route and the parts of its path. */
import { type Method, ROUTES, type RouteName } from '../contract/routes.ts';
import { ApiError } from './api-error.ts';

const MAX_PART_CHARS = 1_000;

const COMPILED = (Object.keys(ROUTES) as RouteName[]).map((name) => ({
  name,
  method: ROUTES[name].method as Method,
  segments: ROUTES[name].path.split('/'),
}));

export interface MatchedRoute {
  readonly name: RouteName;
  readonly params: Readonly<Record<string, string>>;
}

/** Throws if there is no such route. */
export function matchRoute(method: string, path: string): MatchedRoute {
  const written = path.split('/');
  const methods: string[] = [];
  for (const route of COMPILED) {
    const params = paramsOf(route.segments, written);
    if (params === null) continue;
    methods.push(route.method, ...(route.method === 'GET' ? ['HEAD'] : []));
    if (route.method === method || (method === 'HEAD' && route.method === 'GET')) return { name: route.name, params };
  }
  if (methods.length > 0) {
    throw new ApiError('BAD_METHOD', `${method} is no method of this address`, methods.join(', '));
  }
  throw new ApiError('NOT_FOUND', 'the API has no such address; /api/openapi.json lists all');
}

function paramsOf(segments: readonly string[], written: readonly string[]): Record<string, string> | null {
  if (segments.length !== written.length) return null;
  const params: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const given = written[i]!;
    if (!segment.startsWith('{')) {
      if (segment !== given) return null;
      continue;
    }
    const value = decoded(given);
    if (value === null || value === '' || value.length > MAX_PART_CHARS) return null;
    params[segment.slice(1, -1)] = value;
  }
  return params;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
