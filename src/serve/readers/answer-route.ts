/** Finds the handler of a route and checks the parameters of the query. Handlers are loaded when they are needed. */
import type { Answer, Query, RouteName } from '../contract/routes.ts';
import { ROUTES, type Route } from '../contract/routes.ts';
import type { OpenCopy } from './open-copies.ts';
import type { ReaderReply } from './reader-messages.ts';

export interface Asked<N extends RouteName> {
  readonly open: OpenCopy;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query<N>;
  readonly archivedRoot: string;
}

export type Handler<N extends RouteName> = (asked: Asked<N>) => Promise<Answer<N>>;
/** Handlers of the routes that a reader thread answers. */
export type Handlers = { readonly [N in RouteName]?: Handler<N> };

const LOADERS: readonly (() => Promise<{ readonly handlers: Handlers }>)[] = [
  () => import('./handlers/copies.ts'),
  () => import('./handlers/sites.ts'),
  () => import('./handlers/page.ts'),
  () => import('./handlers/changes.ts'),
  () => import('./handlers/search.ts'),
];

let loaded: Promise<Handlers> | null = null;

async function load(): Promise<Handlers> {
  const parts = await Promise.all(LOADERS.map((loader) => loader()));
  return Object.assign({}, ...parts.map(({ handlers }) => handlers)) as Handlers;
}

interface AskedRoute {
  readonly open: OpenCopy;
  readonly route: RouteName;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly archivedRoot: string;
}

export async function answerRoute({ route, query, ...asked }: AskedRoute): Promise<ReaderReply> {
  loaded ??= load();
  const handler = (await loaded)[route] as Handler<RouteName> | undefined;
  if (handler === undefined) throw new Error(`no handler for ${route}`);
  const answer = await handler({ ...asked, query: query as never });
  const { answer: form }: Route = ROUTES[route];
  if (typeof form === 'string') return { status: 200, type: form, body: answer as string };
  return { status: 200, type: 'application/json', body: JSON.stringify(answer) };
}
