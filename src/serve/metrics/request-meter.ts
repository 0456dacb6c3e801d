/** Counts the requests of the server and their times, by route and by class of status. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchRoute } from '../http/match-route.ts';
import type { MetricText } from './metric-text.ts';

const BOUNDS_SECONDS = [0.005, 0.02, 0.1, 0.3, 1, 5];
/** Answers of this route last as long as a page is open. */
const STREAM = 'getEvents';
const OTHER_ROUTES: Readonly<Record<string, string>> = {
  '/metrics': 'metrics',
  '/health': 'health',
  '/api/openapi.json': 'openapi',
};

interface Times {
  readonly counts: number[];
  sum: number;
}

export class RequestMeter {
  readonly #requests = new Map<string, Map<string, number>>();
  readonly #times = new Map<string, Times>();
  #streams = 0;

  /** Call this when a request arrives. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const startMs = performance.now();
    const route = routeOf(request.method ?? 'GET', (request.url ?? '/').split('?', 1)[0]!);
    if (route === STREAM) this.#streams++;
    response.once('close', () => {
      if (route === STREAM) this.#streams--;
      else this.#time(route, (performance.now() - startMs) / 1_000);
      // A client that went away before the answer has no status.
      this.#count(route, response.headersSent ? `${Math.trunc(response.statusCode / 100)}xx` : 'none');
    });
  }

  write(text: MetricText): void {
    for (const [route, statuses] of this.#requests) {
      for (const [status, count] of statuses) {
        const help = 'Requests that were answered, by route and class of status.';
        text.add('counter', 'orbweaver_http_requests_total', help, count, { route, status });
      }
    }
    for (const [route, { counts, sum }] of this.#times) {
      const histogram = { bounds: BOUNDS_SECONDS, counts, sum };
      const help = 'Times from the arrival of a request to the end of its answer.';
      text.addHistogram('orbweaver_http_request_duration_seconds', help, histogram, { route });
    }
    text.add('gauge', 'orbweaver_event_streams', 'Open streams of server-sent events.', this.#streams);
  }

  #count(route: string, status: string): void {
    const statuses = this.#requests.get(route) ?? new Map<string, number>();
    this.#requests.set(route, statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }

  #time(route: string, seconds: number): void {
    const times = this.#times.get(route) ?? { counts: new Array<number>(BOUNDS_SECONDS.length + 1).fill(0), sum: 0 };
    const bucket = BOUNDS_SECONDS.findIndex((bound) => seconds <= bound);
    times.counts[bucket < 0 ? BOUNDS_SECONDS.length : bucket]!++;
    times.sum += seconds;
    this.#times.set(route, times);
  }
}

/** A route of the API, or one of few other names, so that no request can make a new series. */
function routeOf(method: string, path: string): string {
  if (Object.hasOwn(OTHER_ROUTES, path)) return OTHER_ROUTES[path]!;
  if (path.startsWith('/archived/')) return 'archived';
  if (!path.startsWith('/api/')) return 'page';
  try {
    return matchRoute(method, path).name;
  } catch {
    return 'unknown';
  }
}
