/**
 * Answers the requests to the API. Routes that read a copy are passed to the reader threads; the few others are
 * answered here: the list of copies, events, and changes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { VERSION } from '../core/options/options.ts';
import type { ServeOptions } from '../core/options/serve-options.ts';
import { isRunning, readLive } from '../crawl/live/live-file.ts';
import { readRules } from '../crawl/place/data-folder.ts';
import { withStoreAt } from '../crawl/place/open-store.ts';
import { buildQuery } from '../search/query/build-query.ts';
import { archivedRoot, readArchivedPath } from './archived/archived-address.ts';
import type { CopyDetail, CopyList, CopySummary } from './contract/copies.ts';
import { type Body, ROUTES, type Route, type RouteName } from './contract/routes.ts';
import type { Copies } from './copies.ts';
import type { Gate } from './gate/gate.ts';
import { type Answer, send, sendFault, sendJson } from './http/answer.ts';
import { ApiError, faultOf } from './http/api-error.ts';
import { matchRoute } from './http/match-route.ts';
import { readJson } from './http/read-body.ts';
import { readQuery } from './http/read-query.ts';
import { CopyFeed } from './live/copy-feed.ts';
import { EventStream } from './live/event-stream.ts';
import type { CopyFigures } from './metrics/copy-metrics.ts';
import { METRICS_TYPE, metricsPage } from './metrics/metrics-page.ts';
import type { RequestMeter } from './metrics/request-meter.ts';
import { openApi } from './openapi.ts';
import { writeSeen } from './readers/handlers/seen-mark.ts';
import type { ReaderWork } from './readers/reader-messages.ts';
import { ReaderFault, ReaderPool } from './readers/reader-pool.ts';
import { audit } from './runs/audit-log.ts';
import { changeRules, rulesOf } from './runs/change-rules.ts';
import { createCopy } from './runs/create-copy.ts';
import { orderRun } from './runs/order-run.ts';
import type { RunStarter } from './runs/run-starter.ts';
import { runOf } from './runs/run-state.ts';
import type { ServedCopy } from './served-copy.ts';

const MOST_STREAMS = 100;
const ARCHIVED = '/archived/';
const METRICS = '/metrics';

export interface RouterParts {
  readonly copies: Copies;
  readonly gate: Gate;
  readonly starter: RunStarter;
  readonly options: ServeOptions;
  /** A part of the addresses of archived pages that other sites cannot guess. */
  readonly archivedKey: string;
  readonly meter: RequestMeter;
}

interface Matched {
  readonly name: RouteName;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
}

export class ApiRouter {
  readonly #parts: RouterParts;
  readonly #readers = new ReaderPool();
  readonly #feeds = new Map<string, CopyFeed>();
  #streams = 0;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  takes(path: string): boolean {
    return path === '/health' || path === METRICS || path.startsWith('/api/') || path.startsWith(ARCHIVED);
  }

  async answer(request: IncomingMessage, response: ServerResponse, target: URL): Promise<void> {
    const { gate } = this.#parts;
    const { pathname } = target;
    if (pathname === '/health') {
      gate.check(request, 'page');
      return sendJson(response, JSON.stringify({ status: 'ok', version: VERSION }));
    }
    if (pathname.startsWith(ARCHIVED)) {
      gate.check(request, 'archived');
      return this.#sendArchived(request, response, pathname);
    }
    if (pathname === METRICS) {
      gate.check(request, 'read');
      return send(response, { status: 200, type: METRICS_TYPE, body: await this.#metrics() });
    }
    if (pathname === '/api/openapi.json') {
      gate.check(request, 'read');
      return sendJson(response, JSON.stringify(openApi()));
    }
    // A request without the right to read learns nothing, also not which addresses exist.
    const isChange = request.method !== 'GET' && request.method !== 'HEAD';
    const { hasToken } = gate.check(request, isChange ? 'write' : 'read');
    const { name, params } = matchRoute(request.method ?? 'GET', pathname);
    const matched: Matched = { name, params, query: readQuery(name, target.searchParams) };
    if (isChange) return this.#change(request, response, matched);
    const isHead = request.method === 'HEAD';
    if (name === 'getEvents') return this.#stream(request, response, this.#copyOf(params), target);
    send(response, await this.#read(matched, hasToken), isHead);
  }

  end(): void {
    for (const feed of this.#feeds.values()) feed.end();
  }

  closeReaders(): Promise<void> {
    return this.#readers.end();
  }

  async #read(matched: Matched, hasToken: boolean): Promise<Answer> {
    const { name, params, query } = matched;
    if (name === 'listCopies') return json(await this.#listCopies(hasToken));
    if (name === 'buildQuery') return json({ q: buildQuery(query as Parameters<typeof buildQuery>[0]) });
    const copy = this.#copyOf(params);
    if (name === 'getRules') return json(rulesOf(copy, await withStoreAt(copy.place, readRules)));
    return this.#ask(copy, matched);
  }

  #ask(copy: ServedCopy, { name, params, query }: Matched): Promise<Answer> {
    return this.#askReader(copy, { kind: 'route', route: name, params, query });
  }

  async #askReader(copy: ServedCopy, work: ReaderWork): Promise<Answer> {
    try {
      const reply = await this.#readers.ask(copy, work, archivedRoot(this.#parts.archivedKey, copy.id));
      return { ...reply, body: typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body) };
    } catch (error) {
      if (!(error instanceof ReaderFault)) throw error;
      const { status, code, message } = error.fault;
      return { status, type: 'application/json', body: JSON.stringify({ error: { code, message } }) };
    }
  }

  async #change(request: IncomingMessage, response: ServerResponse, { name, params }: Matched): Promise<void> {
    const { body: schema }: Route = ROUTES[name];
    const body = schema!.parse(await readJson(request), '');
    const copy = params.copy === undefined ? null : this.#copyOf(params);
    const from = request.socket.remoteAddress ?? '';
    try {
      const { answer, dir } = await this.#apply(name, copy, body);
      audit(dir, { route: name, from, body, status: 200 });
      sendJson(response, JSON.stringify(answer));
    } catch (error) {
      const fault = faultOf(error);
      if (copy !== null) audit(copy.place.dir, { route: name, from, body, status: fault.status });
      if (fault.status === 500) throw error;
      sendFault(response, fault);
    }
  }

  async #apply(name: RouteName, copy: ServedCopy | null, body: unknown): Promise<{ answer: unknown; dir: string }> {
    const { starter, copies } = this.#parts;
    if (name === 'createCopy') {
      const created = await createCopy(body as Body<'createCopy'>, copies, starter);
      return {
        answer: emptySummary(created, runOf(created, starter.startedAtMs(created)).state, null),
        dir: created.place.dir,
      };
    }
    const { dir } = copy!.place;
    if (name === 'orderRun') return { answer: orderRun(copy!, (body as Body<'orderRun'>).action, starter), dir };
    if (name === 'changeRules') {
      changeRules(copy!, (body as Body<'changeRules'>).rules);
      return { answer: rulesOf(copy!, await withStoreAt(copy!.place, readRules)), dir };
    }
    const { seq } = body as Body<'markSeen'>;
    writeSeen(dir, seq);
    return { answer: { seq }, dir };
  }

  async #listCopies(mayWrite: boolean): Promise<CopyList> {
    const { copies, options } = this.#parts;
    const summaries = await Promise.all(copies.all.map((copy) => this.#summaryOf(copy)));
    return {
      version: VERSION,
      copies: summaries,
      isReadOnly: options.readOnly,
      mayWrite: mayWrite && !options.readOnly,
      canCreate: copies.canCreate && !options.readOnly,
    };
  }

  async #summaryOf(copy: ServedCopy): Promise<CopySummary> {
    const { starter } = this.#parts;
    const { state } = runOf(copy, starter.startedAtMs(copy));
    const { status, body } = await this.#ask(copy, { name: 'getCopy', params: { copy: copy.id }, query: {} });
    if (status === 200)
      return { ...(JSON.parse(String(body)) as CopyDetail).summary, state, problem: starter.problemOf(copy) };
    const { error } = JSON.parse(String(body)) as { error: { message: string } };
    return emptySummary(copy, state, starter.problemOf(copy) ?? error.message);
  }

  #stream(request: IncomingMessage, response: ServerResponse, copy: ServedCopy, target: URL): void {
    if (this.#streams >= MOST_STREAMS)
      throw new ApiError('UNAVAILABLE', 'too many open event streams; close some pages');
    const { starter } = this.#parts;
    const given = request.headers['last-event-id'] ?? target.searchParams.get('lastEventId');
    const lastChange = /^\d{1,15}$/.test(String(given)) ? Number(given) : null;
    let feed = this.#feeds.get(copy.id);
    if (feed === undefined) {
      feed = new CopyFeed(copy, () => starter.startedAtMs(copy));
      this.#feeds.set(copy.id, feed);
    }
    const joined = feed;
    const client = new EventStream(response, lastChange);
    this.#streams++;
    response.on('close', () => {
      this.#streams--;
      joined.remove(client);
    });
    joined.add(client);
  }

  async #sendArchived(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD')
      throw new ApiError('BAD_METHOD', `${method} is no method of this address`, 'GET, HEAD');
    const address = readArchivedPath(path, this.#parts.archivedKey);
    if (address === null) throw new ApiError('NOT_FOUND', 'this address has expired; open the page again');
    const { copy, url, atMs } = address;
    send(
      response,
      await this.#askReader(this.#parts.copies.get(copy), { kind: 'archived', url, atMs }),
      method === 'HEAD',
    );
  }

  async #metrics(): Promise<string> {
    const figures = this.#parts.copies.all.map(async (copy): Promise<CopyFigures> => {
      const { status, body } = await this.#ask(copy, { name: 'getCopy', params: { copy: copy.id }, query: {} });
      const detail = status === 200 ? (JSON.parse(String(body)) as CopyDetail) : null;
      const live = readLive(copy.place.dir);
      return { copy: copy.id, detail, live: live !== null && isRunning(live, Date.now()) ? live : null };
    });
    return metricsPage(await Promise.all(figures), this.#parts.meter);
  }

  #copyOf({ copy }: Readonly<Record<string, string>>): ServedCopy {
    return this.#parts.copies.get(copy ?? '');
  }
}

function json(answer: unknown): Answer {
  return { status: 200, type: 'application/json', body: JSON.stringify(answer) };
}

/** A copy that cannot be read at the moment, or that has no page yet. */
function emptySummary(
  { id, title, place }: ServedCopy,
  state: CopySummary['state'],
  problem: string | null,
): CopySummary {
  return {
    ...{ id, title, state, problem, seeds: [], pages: 0, waiting: 0, failed: 0, skipped: 0, hosts: 0, bytes: 0 },
    ...{ changes: 0, refreshedAt: null, isSearchable: false },
    kind: place.cluster === null ? 'folder' : 'database',
    canRun: place.cluster === null,
  };
}
