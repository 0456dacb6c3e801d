/**
 * Sends requests for the controller, in the thread of a unit: the main thread sends none. In: messages of
 * `crew/unit-fetcher.ts`. Out: one response per request. The controller keeps the gate of the host, and it asks only
 * for small answers: the reports of watchers, and robots.txt before them.
 */
import { systemClock } from '../../core/clock.ts';
import { LeaseGuard } from '../../core/lease-expiry.ts';
import { Fetcher } from '../../fetch/fetcher.ts';
import { ClusterClock } from './cluster-clock.ts';
import type { ControllerRequest, PlainOutcome, RequestRules, UnitResponse } from './messages.ts';

export class ControllerRequests {
  readonly #post: (response: UnitResponse) => void;
  #fetcher: Fetcher | null = null;
  #isClosed = false;

  constructor(post: (response: UnitResponse) => void) {
    this.#post = post;
  }

  receive(request: ControllerRequest): void {
    switch (request.type) {
      case 'rules':
        this.#fetcher = fetcherOf(request.rules);
        break;
      case 'send':
        void this.#send(request.number, request.url, request.headers);
        break;
      case 'abort':
        this.#fetcher?.abort(request.host);
        break;
      case 'close':
        this.#fetcher?.closeHost(request.host);
        break;
    }
  }

  /** Finishes the requests that are under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#fetcher?.close();
  }

  async #send(number: number, url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    // The thread would end before the response. The controller then sends the request through another unit.
    if (this.#isClosed) return;
    const { body: _body, header: _header, release: _release, ...plain } = await this.#fetcher!.fetch(url, headers);
    this.#post({ type: 'response', number, outcome: plain satisfies PlainOutcome });
  }
}

function fetcherOf({ fetch, shared }: RequestRules): Fetcher {
  if (!shared) return new Fetcher(fetch, systemClock);
  const guard = new LeaseGuard(shared.leases);
  return new Fetcher(fetch, new ClusterClock(shared.time), () => guard.isGood());
}
