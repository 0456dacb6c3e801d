/**
 * Decides who may ask for what. In: a request and what it is for. Out: nothing, or an ApiError that says what is
 * missing. This is the one place that decides.
 *
 * What always holds:
 * - Only known names are answered, so that no other site reaches the interface through a name of its own.
 * - A request of another site's page is refused: by its Origin, and by Sec-Fetch-Site where a browser sends it.
 * - A change needs the token in the Authorization header, on loopback too. Browsers send this header only for our own
 *   pages. There are no cookies.
 * - Elsewhere than on loopback, reading needs the token, too.
 */
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../http/api-error.ts';
import type { AccessToken } from './access-token.ts';
import type { AllowedNames } from './allowed-names.ts';
import { RateLimit } from './rate-limit.ts';

/** `page`: the files of the interface itself, which hold no data. `archived`: needs the key in its address. */
export type Purpose = 'page' | 'archived' | 'read' | 'write';

export interface GateRules {
  readonly names: AllowedNames;
  readonly token: AccessToken;
  readonly isOnLoopback: boolean;
  readonly isReadOnly: boolean;
}

const READS_PER_SECOND = 200;
const READ_BURST = 600;
const WRITES_PER_SECOND = 2;
const WRITE_BURST = 20;
/** Wrong tokens of one address. */
const GUESSES_PER_SECOND = 0.2;
const GUESS_BURST = 10;

export class Gate {
  readonly #rules: GateRules;
  readonly #reads = new RateLimit(READS_PER_SECOND, READ_BURST);
  readonly #writes = new RateLimit(WRITES_PER_SECOND, WRITE_BURST);
  readonly #guesses = new RateLimit(GUESSES_PER_SECOND, GUESS_BURST);

  constructor(rules: GateRules) {
    this.#rules = rules;
  }

  /** Returns whether the request has a valid token. */
  check({ headers, socket }: IncomingMessage, purpose: Purpose, nowMs = performance.now()): { hasToken: boolean } {
    const { names, token, isOnLoopback, isReadOnly } = this.#rules;
    const address = socket.remoteAddress ?? '';
    if (!names.hasHost(headers.host)) {
      throw new ApiError(
        'FORBIDDEN',
        'this name is not one of the interface; use the address that it printed at its start',
      );
    }
    if (!this.#reads.take(address, nowMs)) throw new ApiError('TOO_MANY', 'too many requests; wait a second');
    this.#refuseOtherSites(headers, purpose);
    const given = token.check(headers.authorization);
    if (given === false) {
      if (!this.#guesses.take(address, nowMs)) throw new ApiError('TOO_MANY', 'too many wrong tokens; wait a minute');
      throw new ApiError('TOKEN_NEEDED', 'the token is wrong; open the link that the server printed at its start');
    }
    const hasToken = given === true;
    const isOpen = purpose === 'page' || purpose === 'archived' || (purpose === 'read' && isOnLoopback) || isReadOnly;
    if (!isOpen && !hasToken) {
      throw new ApiError('TOKEN_NEEDED', 'this needs the token; open the link that the server printed at its start');
    }
    if (purpose === 'write') {
      if (isReadOnly) throw new ApiError('FORBIDDEN', 'this interface is read-only (--read-only)');
      if (!this.#writes.take(address, nowMs)) throw new ApiError('TOO_MANY', 'too many changes; wait some seconds');
    }
    return { hasToken };
  }

  #refuseOtherSites(headers: IncomingMessage['headers'], purpose: Purpose): void {
    // A sandboxed page has no origin, and its address has a key. It is the only one that such a page may ask for.
    if (purpose === 'archived') return;
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    const isNavigation = purpose === 'page' && headers['sec-fetch-mode'] === 'navigate';
    const isForeign =
      (origin !== undefined && !this.#rules.names.hasOrigin(origin)) ||
      (site !== undefined && site !== 'same-origin' && site !== 'none');
    if (isForeign && !isNavigation) throw new ApiError('FORBIDDEN', 'requests of pages of other sites are refused');
  }
}
