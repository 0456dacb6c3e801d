import type { Exchange } from './exchange.ts';

/** A request, in the two forms that the transports need. */
export interface OutgoingRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  /** name, value, name, value … without those of the connection. */
  readonly headers: readonly string[];
  /** The same as lines, with those of the connection, each with its CR LF. */
  readonly lines: string;
  /** The lines without credentials: archives are handed around. */
  readonly archivedLines: string;
}

/**
 * The way to one origin and back. In comes a request, out go the events of its exchange.
 *
 * What always holds: `dispatch` does not throw for anything the web does; `close` lets requests under way finish,
 * `destroy` ends them.
 */
export interface Transport {
  dispatch(request: OutgoingRequest, exchange: Exchange): void;
  close(): Promise<void>;
  destroy(): Promise<void>;
}
