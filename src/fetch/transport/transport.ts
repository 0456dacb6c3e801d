import type { Exchange } from '../exchange.ts';

/** A request, in the two forms that the transports need. */
export interface OutgoingRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** name, value, name, value … without the headers of the connection. */
  readonly headers: readonly string[];
  /** All headers as lines, including those of the connection, each with its CR LF. */
  readonly lines: string;
  /** The lines without those of `secrets`. */
  readonly archivedLines: string;
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
