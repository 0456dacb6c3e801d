import type { Exchange } from '../exchange.ts';
import type { RequestText } from '../request-headers.ts';

/** A request, in the two forms that the transports need. */
export interface OutgoingRequest extends RequestText {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** Names of headers that are not archived (request-headers.ts). */
  readonly secrets: ReadonlySet<string>;
}

/**
 * Carries requests to one origin. In: a request. Out: the events of its exchange.
 *
 * What always holds: `dispatch` does not throw for anything the web does. `close` lets
 * requests in progress finish, and `destroy` ends them.
 */
export interface Transport {
  dispatch(request: OutgoingRequest, exchange: Exchange): void;
  close(): Promise<void>;
  destroy(): Promise<void>;
}
